// A child process that holds a database's write lock for so many milliseconds, and says when it has it.
import { openSqlite } from '../../src/main/store/open-sqlite.ts';

const [file = '', heldMs = '0'] = process.argv.slice(2);
const db = openSqlite(file, { mustExist: true });
db.exec('BEGIN IMMEDIATE');
process.send?.('holding');
setTimeout(() => {
  db.exec('COMMIT');
  db.close();
  process.exit(0);
}, Number(heldMs));
