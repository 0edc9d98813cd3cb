import type { EvmDigests } from '../../ports/index.ts';
import { notTypedData } from './refusals.ts';
import type { Purpose } from './request.ts';

/** The 32 bytes that are signed for a text. */
export async function digestOf(digests: EvmDigests, purpose: Purpose, text: string): Promise<Uint8Array> {
  switch (purpose) {
    case 'message':
      return digests.textDigest(text);
    case 'hash':
      return Buffer.from(text.slice(2), 'hex');
    case 'typed-data': {
      const digest = await digests.typedDataDigest(text);
      if (digest === undefined) throw notTypedData();
      return digest;
    }
  }
}
