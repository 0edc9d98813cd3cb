import { type EncodedAccount, getBase58Decoder, getBase64Decoder } from '@solana/kit';
import { RpcError } from './rpc-error.ts';

// What nodes say of accounts that owe no rent: the largest number of 64 bits, as JSON writers of JavaScript print it.
const rentEpoch = 18446744073709552000;

export interface AccountForm {
  encoding?: unknown;
  dataSlice?: { offset: number; length: number };
}

/** An account as nodes write it. */
export function writeAccount(account: EncodedAccount, form: AccountForm, parsed?: unknown): Record<string, unknown> {
  return {
    data: form.encoding === 'jsonParsed' && parsed !== undefined ? parsed : writeData(account.data, form),
    executable: account.executable,
    lamports: Number(account.lamports),
    owner: account.programAddress,
    rentEpoch,
    space: account.data.length,
  };
}

function writeData(data: EncodedAccount['data'], { encoding = 'base58', dataSlice }: AccountForm): unknown {
  const slice = dataSlice ? data.slice(dataSlice.offset, dataSlice.offset + dataSlice.length) : data;
  if (encoding === 'base64' || encoding === 'jsonParsed') return [getBase64Decoder().decode(slice), 'base64'];
  if (encoding !== 'base58') throw new RpcError(-32602, `The emulator does not write ${String(encoding)}.`);
  if (slice.length > 128) {
    throw new RpcError(
      -32600,
      'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
    );
  }
  return getBase58Decoder().decode(slice);
}
