import { platformNames, record, T, text, type ValueOf } from '@latchkey/kernel';

export const User = record('User', 'An account.', {
  id: T.Optional(text('The id of the account, for example DIS#USER#100.')),
  createdTime: T.Optional(text('When the account first linked a wallet, in ISO 8601; absent before that.')),
  pk: T.Optional(text('The id of the account.')),
  sk: T.Optional(text('Always USER.')),
  classifier: T.Optional(text('Always USER.')),
  classifierGroup: T.Optional(text('Always USER.')),
  platform: T.Optional(text(`Where the account comes from: ${platformNames.join(', ')} or ethereum, for example.`)),
  userName: T.Optional(text('What people call the account there.')),
});
export type User = ValueOf<typeof User>;

export const AccountAuthChallenge = record('AccountAuthChallenge', 'What to sign to link a wallet.', {
  message: T.Optional(text('The exact text to sign with personal_sign.', { maxLength: 4096 })),
});
export type AccountAuthChallenge = ValueOf<typeof AccountAuthChallenge>;

export const AccountAddressRequest = record('AccountAddressRequest', 'A wallet and the proof that it is yours.', {
  chainId: T.Optional(text('The chain, as a number or in CAIP-2 form. Defaults to Ethereum.', { maxLength: 64 })),
  address: text('The address of the wallet.', { minLength: 1, maxLength: 128 }),
  message: text('The message of GET /account/auth-message, to the letter.', { minLength: 1, maxLength: 4096 }),
  signedMessage: text('The signature.', { minLength: 1, maxLength: 32_768 }),
});
export type AccountAddressRequest = ValueOf<typeof AccountAddressRequest>;

const AccountBalance = record('AccountBalance', 'How much of a token an account holds.', {
  cashtag: T.Optional(text('The cashtag of the token, if a community gave it one.')),
  tokenAddress: T.Optional(text('The contract of the token; absent for the coin of the chain itself.')),
  chainId: T.Optional(text('The chain, in CAIP-2 form.')),
  balance: T.Optional(text('The amount in whole tokens, exact.', { format: 'BigNumber' })),
});

export const WalletBalance = record('WalletBalance', 'A wallet and what it is known to hold.', {
  address: T.Optional(text('The address, in the spelling of its chain.')),
  accounts: T.Optional(T.Array(AccountBalance, { description: 'The balances that could be read.', maxItems: 100 })),
});
export type WalletBalance = ValueOf<typeof WalletBalance>;
