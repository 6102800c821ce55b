import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Memory where the system offers a folder in it: a simulated disk needs no real one. */
export const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
