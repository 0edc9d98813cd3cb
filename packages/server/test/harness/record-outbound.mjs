// Loaded into a process by --import: writes each connection that the process opens, and each target that egress let pass,
// as a line of JSON into the file that LATCHKEY_TEST_OUTBOUND names. With LATCHKEY_TEST_LOOPBACK_ONLY it refuses what would
// leave this machine, for tests on machines that allow no network namespace.
import dgram from 'node:dgram';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const file = process.env.LATCHKEY_TEST_OUTBOUND ?? '';
const isLoopbackOnly = process.env.LATCHKEY_TEST_LOOPBACK_ONLY === 'true';
const isLocal = /^(localhost|127\.[\d.]+|::1|0\.0\.0\.0|::)$/;

/** @param {object} what */
const write = (what) => appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...what })}\n`);

subscribe('latchkey:egress', (passed) => write({ passed }));

const { connect } = Socket.prototype;
/** @this {Socket} @param {any[]} args */
function recorded(...args) {
  // Node.js itself passes its arguments on as one list.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const asked =
    typeof first === 'object' ? first : /^\d+$/.test(String(first)) ? { port: first, host: second } : { path: first };
  const host = typeof asked.host === 'string' ? asked.host : 'localhost';
  write(asked.path ? { path: asked.path } : { host, port: Number(asked.port) });
  if (isLoopbackOnly && !asked.path && !isLocal.test(host))
    return this.destroy(Object.assign(new Error(`${host} cannot be reached from this test.`), { code: 'ENETUNREACH' }));
  return Reflect.apply(connect, this, args);
}
Socket.prototype.connect = /** @type {typeof connect} */ (recorded);

const { send } = dgram.Socket.prototype;
/** @this {dgram.Socket} @param {any[]} args */
dgram.Socket.prototype.send = function recordedSend(...args) {
  // Message, perhaps offset and length, then port and address.
  const host = args.slice(1).find((arg) => typeof arg === 'string') ?? 'localhost';
  write({ host, port: args.findLast((arg) => typeof arg === 'number') });
  return Reflect.apply(send, this, args);
};
