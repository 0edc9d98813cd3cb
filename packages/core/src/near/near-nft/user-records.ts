import { record, T, text, type ValueOf } from '@latchkey/kernel';
import { accountId, amount } from './fields.ts';

const publicKey = (description: string) =>
  text(description, { maxLength: 60, pattern: '^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$' });

const account = {
  accountId: T.Optional(accountId('The account. Without one an account of a random name is made.')),
  publicKey: publicKey('A key with full access to the account: `ed25519:` and base58.'),
  extraPublicKeys: T.Optional(
    T.Array(publicKey('Another key.'), { description: 'Further keys of a new account.', maxItems: 5 }),
  ),
  signature: T.Optional(
    text(
      'The signature of the message that an earlier answer asked for, in base64, or the signInState of a finished sign-in.',
      {
        minLength: 1,
        maxLength: 256,
      },
    ),
  ),
};

export const UserAccount = record('UserAccount', 'A NEAR account of the caller.', account);
export type UserAccount = ValueOf<typeof UserAccount>;

const MessageToSign = record('NearMessageToSign', 'A message for a wallet to sign (NEP-413).', {
  message: text('The message.'),
  nonce: text('32 bytes in base64.', { maxLength: 64 }),
  recipient: text('For whom it is.', { maxLength: 256 }),
});

const SignInSession = record('NearSignInSession', 'A sign-in by a key that the wallet adds to the account.', {
  signInState: text('Names the session; send it as `signature` once the key is there.', { maxLength: 64 }),
  contractId: text('The contract that the key must be for.', { maxLength: 64 }),
  methodName: text('The one method that the key must be for.', { maxLength: 64 }),
});
export type SignInSession = ValueOf<typeof SignInSession>;

export const UserAccountResult = record(
  'UserAccountResult',
  'A NEAR account, or how to prove that it is the caller’s.',
  {
    ...account,
    transactionHash: T.Optional(text('The transaction that made the account.', { maxLength: 64 })),
    messageToSign: T.Optional(MessageToSign),
    signIn: T.Optional(SignInSession),
  },
);
export type UserAccountResult = ValueOf<typeof UserAccountResult>;

export const Balance = record('NearBalance', 'What an account has.', {
  balance: T.Optional(amount('The amount in the smallest unit.')),
});
