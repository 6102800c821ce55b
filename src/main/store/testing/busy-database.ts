import SqliteDatabase from 'better-sqlite3';

/** Takes the write lock of a database, as another program would; the returned function gives it back. */
export function keepBusy(file: string): () => void {
  const db = new SqliteDatabase(file);
  db.prepare('BEGIN IMMEDIATE').run();
  return () => {
    db.prepare('COMMIT').run();
    db.close();
  };
}
