import { OpenObject, record, T, text, type ValueOf } from '@latchkey/kernel';

export const maxRulesPerCheck = 100;

const amount = (description: string) =>
  T.Optional(T.Union([T.String({ maxLength: 160 }), T.Number()], { description }));

const GatingRule = T.Object(
  {
    id: T.Optional(text('An id of your own, repeated in errors.', { maxLength: 512 })),
    classifierGroup: T.Optional(text('Accepted for older clients; it decides nothing.', { maxLength: 128 })),
    name: T.Optional(text('What people call the rule.')),
    description: T.Optional(text('What the rule is for.', { maxLength: 4096 })),
    roleId: T.Optional(text('The role that the rule gives. Defaults to 001.', { maxLength: 256 })),
    minToken: amount('The least amount in whole tokens, a decimal as text or a number. Defaults to 1.'),
    maxToken: amount('The greatest amount in whole tokens, a decimal as text or a number. Defaults to no limit.'),
    chainId: T.Optional(T.Number({ description: 'The number of the chain, like 1 for Ethereum.' })),
    tokenSymbol: T.Optional(text('The symbol, for kinds that go by it.', { maxLength: 128 })),
    tokenId: T.Optional(
      text('Which tokens count: a list with ranges and globs, or the address of one.', { maxLength: 65_536 }),
    ),
    collectionName: T.Optional(text('The name of the collection, for kinds that go by it.', { maxLength: 512 })),
    eventId: T.Optional(text('The event, for attendance tokens.')),
    contractAddress: T.Optional(text('The contract, mint, collection or issuer.')),
    type: T.Optional(text('The kind of rule, like ERC20 or ERC721.', { maxLength: 64 })),
    scheme: T.Optional(text('A finer kind of rule, like gnosis or logic.', { maxLength: 64 })),
    query: T.Optional(text('A JSONata query over what the account holds.', { maxLength: 4096 })),
    variables: T.Optional(OpenObject),
    asset: T.Optional(
      text('The asset as CAIP-19 names it, instead of chainId and contractAddress.', { maxLength: 2048 }),
    ),
    requiresMetadata: T.Optional(
      T.Boolean({ description: 'Whether the query looks at what tokens say of themselves.' }),
    ),
    version: T.Optional(text('The version of the rule: 1.0.0, 2.0.0 or 2.1.0.', { maxLength: 16 })),
  },
  { description: 'A rule: who meets it qualifies for the role.' },
);

export const TokenGatingRequest = record('TokenGatingRequest', 'An account, and rules to check it by.', {
  account: T.Optional(
    text(
      'The account: an address, an address with its chain (evm:1:0x…), or a name of ENS where this server resolves them. What cannot be read is refused. A signed-in user may leave it out.',
      { maxLength: 256 },
    ),
  ),
  rules: T.Optional(T.Array(GatingRule, { description: 'The rules.', maxItems: maxRulesPerCheck })),
  callbackUrl: T.Optional(
    text('Where the answer is sent once it is there, signed with the webhook secret of the application.', {
      maxLength: 2048,
    }),
  ),
  async: T.Optional(T.Boolean({ description: 'Whether to answer at once with a requestId, and decide afterwards.' })),
});
export type TokenGatingRequest = ValueOf<typeof TokenGatingRequest>;

export const TokenGatingStatus = record('TokenGatingStatus', 'Whether an account qualifies for a role.', {
  id: T.Optional(text('The role, as the rules name it.', { maxLength: 256 })),
  granted: T.Optional(T.Boolean({ description: 'True when any rule of the role is met.' })),
});

export const TokenGatingResponse = record(
  'TokenGatingResponse',
  'The roles that could be decided, and why others could not.',
  {
    requestId: T.Optional(text('The id of a request that is decided later.', { maxLength: 64 })),
    roles: T.Optional(T.Array(TokenGatingStatus, { description: 'The decided roles.', maxItems: 10_000 })),
    errors: T.Optional(
      T.Array(OpenObject, {
        description: 'The roles that could not be decided, with their reasons. They are neither granted nor refused.',
        maxItems: 10_000,
      }),
    ),
  },
);
export type TokenGatingResponse = ValueOf<typeof TokenGatingResponse>;

/** What a check came to. */
export type RoleAnswer = Required<Pick<TokenGatingResponse, 'roles' | 'errors'>>;
