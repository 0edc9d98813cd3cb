import type { EvmDigests } from '../../ports/index.ts';
import { notTypedData } from './refusals.ts';
import type { Purpose } from './request.ts';

/** The 32 bytes that are signed for a text. */
export function digestOf(digests: EvmDigests, purpose: Purpose, text: string): Uint8Array {
  switch (purpose) {
    case 'message':
      return digests.textDigest(text);
    case 'hash':
      return Buffer.from(text.slice(2), 'hex');
    case 'typed-data': {
      const digest = digests.typedDataDigest(text);
      if (digest === undefined) throw notTypedData();
      return digest;
    }
  }
}
