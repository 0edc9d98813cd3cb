import { ServiceFailed } from '@latchkey/adapter-kit';
import type { BlockPoint } from '@latchkey/core/ports';

const maxTries = 3;

/** Repeats a batch of reads when a new block arrives in between. For services that cannot be read at a past block. */
export async function atOneHeight<Got>(
  service: string,
  findBlock: () => Promise<BlockPoint>,
  read: (block: BlockPoint) => Promise<Got>,
): Promise<Got> {
  let before = await findBlock();
  for (let tries = 0; tries < maxTries; tries += 1) {
    const got = await read(before);
    const after = await findBlock();
    if (after.number === before.number && after.hash === before.hash) return got;
    before = after;
  }
  throw new ServiceFailed(`${service} kept advancing to new blocks during the read.`);
}
