// Loaded into a process by --import: writes each connection that the process opens, and each target that egress let
// pass, as a line of JSON to the file in its own URL: ?file=…. That also reaches processes that are started with few
// variables. With &loopback it refuses connections that would leave this machine, for machines without network
// namespaces.
import dgram from 'node:dgram';
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { Socket } from 'node:net';

const asked = new URL(import.meta.url).searchParams;
const file = asked.get('file') ?? '';
const isLoopbackOnly = asked.has('loopback');
const isLocal = /^(localhost|127\.[\d.]+|::1|::ffff:(127\.[\d.]+|7f[\da-f]{2}:[\da-f]{1,4})|0\.0\.0\.0|::)$/;

/** @param {object} what */
const write = (what) => appendFileSync(file, `${JSON.stringify({ pid: process.pid, ...what })}\n`);

subscribe('latchkey:egress', (passed) => write({ passed }));

const { connect } = Socket.prototype;
/** @this {Socket} @param {any[]} args */
function recorded(...args) {
  // Node.js itself passes its arguments as one list.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const to =
    typeof first === 'object' ? first : /^\d+$/.test(String(first)) ? { port: first, host: second } : { path: first };
  const host = typeof to.host === 'string' ? to.host : 'localhost';
  write(to.path ? { path: to.path } : { host, port: Number(to.port) });
  if (isLoopbackOnly && !to.path && !isLocal.test(host))
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
