import { readFileSync } from 'node:fs';

// Loaded into a process before its own code: its clock is wrong by as many milliseconds as a file says, as after a step of the
// system's clock. Timers and `performance` go on as they were, which no step changes.
const checkEveryMs = 100;
const file = process.env.LATCHKEY_TEST_CLOCK_FILE ?? '';
const TrueDate = Date;
let wrongByMs = 0;

const now = () => TrueDate.now() + wrongByMs;

setInterval(() => {
  try {
    wrongByMs = Number(readFileSync(file, 'utf8'));
  } catch {
    // It is being written, or gone with the test.
  }
}, checkEveryMs).unref();

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new TrueDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
