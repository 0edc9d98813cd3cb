// Loaded before each test file, as `tell-cpu.mjs?to=FILE`: writes there, as the process ends, how much processor time it
// and the processes that it waited for took. The time by the clock depends on what else runs; this does not.
import { readFileSync, writeFileSync } from 'node:fs';

const ticksPerSecond = 100;
const { searchParams } = new URL(import.meta.url);
const to = searchParams.get('to');

function ticksSoFar() {
  // What comes before the last bracket is the program's name, which may hold anything.
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  // Of itself in user and system mode, then of its children.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

if (to !== null && process.platform === 'linux')
  process.once('exit', () => writeFileSync(to, String(ticksSoFar() / ticksPerSecond)));
