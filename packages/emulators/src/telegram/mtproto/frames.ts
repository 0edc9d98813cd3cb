import type { Socket } from 'node:net';
import { writeInt } from './tl.ts';

const tag = 0xeeeeeeee;
const longestFrame = 2 ** 24;

/** Cuts what comes over a socket into packets: the transport "intermediate", a tag and then lengths before packets. */
export function readFrames(socket: Socket, onPacket: (packet: Buffer) => void): void {
  let waiting = Buffer.alloc(0);
  let isTagged = false;
  socket.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes]);
    if (!isTagged && waiting.length >= 4) {
      if (waiting.readUInt32LE() !== tag) return void socket.destroy();
      isTagged = true;
      waiting = waiting.subarray(4);
    }
    while (isTagged && waiting.length >= 4) {
      const length = waiting.readUInt32LE();
      if (length > longestFrame) return void socket.destroy();
      if (waiting.length < 4 + length) return;
      const packet = waiting.subarray(4, 4 + length);
      waiting = waiting.subarray(4 + length);
      onPacket(packet);
    }
  });
}

export function sendFrame(socket: Socket, packet: Buffer): void {
  socket.write(Buffer.concat([writeInt(packet.length), packet]));
}

/** A packet of four bytes is an error of the transport; 404 says that the server does not know the key. */
export function sendTransportError(socket: Socket, code: number): void {
  sendFrame(socket, writeInt(-code));
}
