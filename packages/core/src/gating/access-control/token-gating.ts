import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

export const maxRulesPerCheck = 100;

const amount = (description: string) =>
  T.Optional(T.Union([T.String({ maxLength: 160 }), T.Number()], { description }));

const GatingRule = T.Object(
  {
    id: T.Optional(text('Your own id for the rule, repeated in errors.', { maxLength: 512 })),
    classifierGroup: T.Optional(text('Accepted for older clients; it has no effect.', { maxLength: 128 })),
    name: T.Optional(text('The name of the rule.')),
    description: T.Optional(text('What the rule is for.', { maxLength: 4096 })),
    roleId: T.Optional(text('The role that the rule gives. Defaults to 001.', { maxLength: 256 })),
    minToken: amount('The minimum amount in whole tokens, as a decimal string or a number. Defaults to 1.'),
    maxToken: amount('The maximum amount in whole tokens, as a decimal string or a number. Defaults to no limit.'),
    chainId: T.Optional(T.Number({ description: 'The chain id, such as 1 for Ethereum.' })),
    tokenSymbol: T.Optional(text('The token symbol, for rule types that use it.', { maxLength: 128 })),
    tokenId: T.Optional(
      text('Which tokens count: a list with ranges and globs, or the address of one.', { maxLength: 65_536 }),
    ),
    collectionName: T.Optional(text('The collection name, for rule types that use it.', { maxLength: 512 })),
    eventId: T.Optional(text('The event, for attendance tokens.')),
    contractAddress: T.Optional(text('The contract, mint, collection or issuer.')),
    type: T.Optional(text('The rule type, such as ERC20 or ERC721.', { maxLength: 64 })),
    scheme: T.Optional(text('A rule subtype, such as gnosis or logic.', { maxLength: 64 })),
    query: T.Optional(text('A JSONata query over what the account holds.', { maxLength: 4096 })),
    variables: T.Optional(OpenObject),
    asset: T.Optional(text('The asset in CAIP-19 form, instead of chainId and contractAddress.', { maxLength: 2048 })),
    requiresMetadata: T.Optional(T.Boolean({ description: 'Whether the query reads token metadata.' })),
    version: T.Optional(text('The version of the rule: 1.0.0, 2.0.0 or 2.1.0.', { maxLength: 16 })),
  },
  { description: 'A rule: accounts that meet it qualify for the role.' },
);

export const TokenGatingRequest = record('TokenGatingRequest', 'An account and the rules to check.', {
  account: T.Optional(
    text(
      'The account: an address, an address with its chain (evm:1:0x…), or an ENS name if this server resolves them. Invalid values are rejected. A signed-in user can omit it.',
      { maxLength: 256 },
    ),
  ),
  rules: T.Optional(T.Array(GatingRule, { description: 'The rules.', maxItems: maxRulesPerCheck })),
  callbackUrl: T.Optional(
    text('Where to send the result when it is ready, signed with the application’s webhook secret.', {
      maxLength: 2048,
    }),
  ),
  async: T.Optional(
    T.Boolean({ description: 'Whether to return a requestId immediately and evaluate the rules in the background.' }),
  ),
});
export type TokenGatingRequest = ValueOf<typeof TokenGatingRequest>;

export const TokenGatingStatus = record('TokenGatingStatus', 'Whether an account qualifies for a role.', {
  id: text('The role id used in the rules.', { maxLength: 256 }),
  granted: T.Boolean({ description: 'True when any rule of the role is met.' }),
});

export const TokenGatingResponse = record(
  'TokenGatingResponse',
  'The roles that could be evaluated, and why others could not.',
  {
    requestId: T.Optional(text('The id of a request that is evaluated in the background.', { maxLength: 64 })),
    roles: T.Optional(T.Array(TokenGatingStatus, { description: 'The evaluated roles.', maxItems: 10_000 })),
    errors: T.Optional(
      T.Array(OpenObject, {
        description: 'The roles that could not be evaluated, with reasons. They are neither granted nor denied.',
        maxItems: 10_000,
      }),
    ),
  },
);
export type TokenGatingResponse = ValueOf<typeof TokenGatingResponse>;

/** The result of a check. */
export type RoleAnswer = Required<Pick<TokenGatingResponse, 'roles' | 'errors'>>;
