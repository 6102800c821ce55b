// Starts another tool server (MCP over stdio) and hands everything on as it is, both ways, but writes the name of each
// called tool into a file first: the calls are counted where they arrive. While `<file>.deadly` exists, the next call is
// the last thing that happens: it is written down, and both programs are gone before there can be an answer.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, command, ...rest] = process.argv.slice(2);
const child = spawn(command, rest, { stdio: ['pipe', 'inherit', 'inherit'] });
child.on('exit', (code) => process.exit(code ?? 1));
child.stdin.on('error', () => {});

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { method, params } = JSON.parse(line);
    const isCall = method === 'tools/call';
    if (isCall) appendFileSync(file, `${params.name}\n`);
    if (isCall && existsSync(`${file}.deadly`)) {
      rmSync(`${file}.deadly`);
      child.kill('SIGKILL');
      process.kill(process.pid, 'SIGKILL');
    }
    child.stdin.write(`${line}\n`);
  })
  .on('close', () => child.stdin.end());
