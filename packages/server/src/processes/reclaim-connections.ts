import type { Worker } from 'node:cluster';

const lookEveryMs = 10;

/** What node:cluster sends a process with a new connection, as far as it matters here. */
interface NewConnection {
  cmd: 'NODE_CLUSTER';
  act: 'newconn';
  seq: number;
}

/**
 * Gives connections that a process was handed and never took to the others when it ends. A process that hangs takes none:
 * node:cluster would keep what it handed over last open for good, with a client that waits for a response.
 *
 * There is no public way to this. node:cluster gives a connection to another process when the first one refuses it, so
 * the refusal that a dead process cannot send any more is sent in its name. A connection that was not acknowledged was
 * not read either: processes acknowledge it first.
 */
export function reclaimConnections(worker: Worker): void {
  const channel = worker.process;
  const unanswered = new Set<number>();
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean;
  channel.send = (...args: unknown[]) => {
    const [message] = args;
    if (isNewConnection(message)) unanswered.add(message.seq);
    return send(...args);
  };
  channel.on('internalMessage', ({ ack }: { ack?: number }) => {
    if (ack !== undefined) unanswered.delete(ack);
  });
  const reclaim = () => {
    // Until the channel has been read to its end, an acknowledgement may still be in it.
    if (channel.connected) setTimeout(reclaim, lookEveryMs);
    else for (const ack of unanswered) channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  };
  // 'disconnect' does not come as long as a connection is not acknowledged.
  worker.once('exit', reclaim);
}

function isNewConnection(message: unknown): message is NewConnection {
  const { cmd, act, seq } = Object(message) as Partial<NewConnection>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn' && typeof seq === 'number';
}
