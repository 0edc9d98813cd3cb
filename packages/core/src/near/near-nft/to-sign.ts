import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

/** A transaction that waits for the signature of its account. */
export const NearToSign = record(
  'NearToSign',
  'A transaction to sign. Send the signature in x-near-signature with the same request, within a day.',
  {
    signerId: text('The account that must sign.', { maxLength: 64 }),
    publicKey: text('The key whose signature is expected. A whole signed transaction may use another one.', {
      maxLength: 128,
    }),
    receiverId: text('The account that it is for.', { maxLength: 64 }),
    nonce: T.Number({ description: 'Its number among those of the key.' }),
    blockHash: text('The block that it names.', { maxLength: 64 }),
    actions: T.Array(OpenObject, { description: 'What it does, to be shown to the signer.', maxItems: 100 }),
    transaction: text('The transaction in Borsh and base64; SHA-256 of its bytes is what is signed.', {
      maxLength: 65_536,
    }),
    hash: text('What it will be called on the chain.', { maxLength: 64 }),
  },
);
export type NearToSign = ValueOf<typeof NearToSign>;
