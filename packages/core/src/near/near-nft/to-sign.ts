import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

/** A transaction that waits for its account's signature. */
export const NearToSign = record(
  'NearToSign',
  'A transaction to sign. Send the signature in x-near-signature with the same request, within a day.',
  {
    signerId: text('The account that must sign.', { maxLength: 64 }),
    publicKey: text('The key whose signature is expected. A whole signed transaction may use another one.', {
      maxLength: 128,
    }),
    receiverId: text('The receiver account.', { maxLength: 64 }),
    nonce: T.Number({ description: 'Its nonce.' }),
    blockHash: text('The block it refers to.', { maxLength: 64 }),
    actions: T.Array(OpenObject, { description: 'What it does, to be shown to the signer.', maxItems: 100 }),
    transaction: text('The transaction in Borsh and base64; SHA-256 of its bytes is what is signed.', {
      maxLength: 65_536,
    }),
    hash: text('Its hash on the chain.', { maxLength: 64 }),
  },
);
export type NearToSign = ValueOf<typeof NearToSign>;
