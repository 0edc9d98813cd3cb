import { choice, isObject, T, text } from '@latchkey/kernel';
import { assetKinds } from '../rules/index.ts';

type Schemas = Readonly<Record<string, object>>;

const named = (name: string) => T.Unsafe<unknown>({ $ref: `#/$defs/${name}` });
const closed = { additionalProperties: false };
const amount = (description: string) => T.Unsafe<unknown>({ type: ['string', 'number'], description, maxLength: 100 });
const testAmount = { type: ['number', 'string'], minimum: 0, pattern: '^(unknown|\\d+(\\.\\d+)?)$' };
const names = (description: string, most = 200) =>
  T.Array(T.String({ minLength: 1, maxLength: 200 }), { description, maxItems: most });
const duration = (description: string) =>
  text(`${description} For example 30m, 6h or 30d.`, { pattern: '^[1-9]\\d{0,8}[smhd]$', maxLength: 12 });
const visibility = choice(
  'How much members can see. public: everything. secret: only that there is a condition. hidden: nothing.',
  ['public', 'secret', 'hidden'] as const,
);
const role = text('The role, by its name, its id, or its name in `roles`.', { minLength: 1, maxLength: 200 });
const ruleName = text('What the rule is called. Two rules of a community must not have the same name and no id.', {
  minLength: 1,
  maxLength: 200,
});
const ruleFrame = {
  id: T.Optional(
    text('The id of the rule, for rules whose name does not identify them.', { minLength: 1, maxLength: 700 }),
  ),
  description: T.Optional(text('What the rule is for.', { maxLength: 2000 })),
  role,
  visibility: T.Optional(visibility),
};

/**
 * The JSON Schema of a file of rules, for editors and for the command line. What a condition may say comes from the fields of a rule
 * in the API, whose schema is `rule`.
 */
export function rulesFileSchema(rule: object): Record<string, unknown> {
  const ruleFields = ('properties' in rule ? rule.properties : {}) as Schemas;
  const { name: _name, description: _description, roleId: _roleId, minToken, maxToken, type, ...others } = ruleFields;
  const kindNames = assetKinds.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const leaf = {
    type: { ...type, examples: kindNames },
    ...Object.fromEntries(
      Object.entries(others).filter(([field]) => !['createdTime', 'classifierGroup'].includes(field)),
    ),
    variables: { type: 'object', description: 'Variables of the condition, such as _sumWallets and _heldForSeconds.' },
  };
  const conditions = T.Array(named('condition'), { minItems: 1, maxItems: 200 });
  const condition = {
    type: 'object',
    description: 'What a member must hold: a group of conditions, or one about a token.',
    properties: {
      all: { ...conditions, description: 'All of these.' },
      any: { ...conditions, description: 'At least one of these.' },
      not: { $ref: '#/$defs/condition', description: 'Not this.' },
      atLeast: {
        type: 'integer',
        minimum: 1,
        maximum: 200,
        description: 'At least this many of the conditions in `of`.',
      },
      of: { ...conditions, description: 'The conditions that `atLeast` counts.' },
      token: { type: 'string', description: 'A token by its name in `tokens`, or by its symbol with a chainId.' },
      min: { ...described(minToken), description: 'The minimum amount, in whole tokens. Defaults to 1.' },
      max: { ...described(maxToken), description: 'The maximum amount, in whole tokens.' },
      visibility,
      ...leaf,
    },
    ...closed,
  };
  const definitions: Schemas = {
    condition,
    token: { type: 'object', description: 'A token that conditions name.', properties: leaf, ...closed },
    rule: T.Object(
      {
        name: T.Optional(ruleName),
        ...ruleFrame,
        when: T.Optional(named('condition')),
        definition: T.Optional(
          T.Unsafe<unknown>({ type: 'object', description: 'The condition as the API writes it, instead of `when`.' }),
        ),
      },
      { description: 'Who gets a role by what they hold.', ...closed },
    ),
    composition: T.Object(
      {
        name: T.Optional(ruleName),
        ...ruleFrame,
        action: T.Optional(
          choice('What follows: the role is given, removed, or both ways.', [
            'add',
            'remove',
            'addOrRemove',
            'removeOrAdd',
          ] as const),
        ),
        operator: T.Optional(choice('Whether all roles must be as in `condition`, or one.', ['and', 'or'] as const)),
        condition: T.Optional(
          T.Unsafe<unknown>({
            type: 'object',
            description: 'Roles, with true if the member must have them and false if not.',
            additionalProperties: { type: 'boolean' },
            minProperties: 1,
            maxProperties: 200,
          }),
        ),
        definition: T.Optional(
          T.Unsafe<unknown>({ type: 'object', description: 'The composition as the API writes it.' }),
        ),
      },
      { description: 'A role that follows from other roles.', ...closed },
    ),
    guestPass: T.Object(
      {
        name: text('What the pass is called.', { minLength: 1, maxLength: 200 }),
        description: T.Optional(text('What it is for.', { maxLength: 2000 })),
        roles: T.Array(role, { description: 'The roles that it grants.', minItems: 1, maxItems: 50 }),
        period: T.Optional(duration('How long it lasts. Defaults to 30d.')),
        status: T.Optional(
          choice('Whether it can be given to members. Defaults to active.', ['active', 'inactive'] as const),
        ),
      },
      closed,
    ),
    brakes: T.Object(
      {
        approvers: T.Optional(
          T.Integer({
            minimum: 1,
            maximum: 2,
            description: 'How many admins must approve held changes. Defaults to 1.',
          }),
        ),
        ...limits,
        quietHours: T.Optional(
          T.Object(
            {
              from: text('For example 22:00.'),
              to: text('For example 07:00.'),
              timeZone: text('For example Europe/Berlin.'),
            },
            { description: 'Hours in which roles are only removed with approval.', ...closed },
          ),
        ),
        roles: T.Optional(
          T.Array(
            T.Object(
              {
                role,
                ...limits,
                approvesGrants: T.Optional(T.Boolean({ description: 'Whether granting the role needs approval too.' })),
              },
              closed,
            ),
            { description: 'Roles with limits of their own.', maxItems: 250 },
          ),
        ),
      },
      { description: 'Which role changes need an admin’s approval.', ...closed },
    ),
    never: T.Object(
      {
        name: T.Optional(text('What admins call it.', { minLength: 1, maxLength: 200 })),
        role: text('The role that the rules must not give.', { minLength: 1, maxLength: 200 }),
        unless: T.Object(
          {
            holds: T.Optional(named('condition')),
            role: T.Optional(text('A role that members must have instead.', { minLength: 1, maxLength: 200 })),
            definition: T.Optional(
              T.Unsafe<unknown>({
                type: 'object',
                description: 'What members must hold as the API writes it, instead of `holds`.',
              }),
            ),
          },
          { description: 'What members with the role must have: one of holds and role.', ...closed },
        ),
      },
      { description: 'Something that no rule may ever allow. Every save is refused that would.', ...closed },
    ),
    holdings: {
      type: 'object',
      description: 'Amounts by token: a number, `unknown`, or tokens with their traits.',
      additionalProperties: { $ref: '#/$defs/holding' },
    },
    holding: {
      ...testAmount,
      type: ['number', 'string', 'object'],
      properties: {
        amount: { ...testAmount, description: 'How much, in whole tokens.' },
        tokens: {
          type: 'array',
          maxItems: 1000,
          items: {
            type: 'object',
            properties: {
              id: { type: ['string', 'number'] },
              amount: testAmount,
              traits: { type: 'object', description: 'Traits of the token: their values by name.' },
            },
            ...closed,
          },
        },
      },
      ...closed,
    },
    test: T.Object(
      {
        name: text('What the test shows.', { minLength: 1, maxLength: 200 }),
        given: T.Optional(
          T.Object(
            {
              holds: T.Optional(named('holdings')),
              staked: T.Optional(named('holdings')),
              wallets: T.Optional(
                T.Array(
                  T.Object({ holds: T.Optional(named('holdings')), staked: T.Optional(named('holdings')) }, closed),
                  { description: 'Linked wallets, instead of one wallet with `holds`.', maxItems: 50 },
                ),
              ),
              roles: T.Optional(names('Roles that the member has.')),
              passes: T.Optional(names('Guest passes that the member has.')),
            },
            { description: 'The member. Without it, a member without wallets.', ...closed },
          ),
        ),
        expect: T.Unsafe<unknown>({
          type: 'object',
          description: 'By role: `role` if the member gets it, `none` if not, `unknown` if it cannot be decided.',
          additionalProperties: { type: 'string', enum: ['role', 'none', 'unknown'] },
          minProperties: 1,
        }),
      },
      closed,
    ),
    community: T.Object(
      {
        community: text('The community, by its id or name.', { minLength: 1, maxLength: 200 }),
        unlisted: T.Optional(
          choice(
            'What happens to rules, guest passes and assertions that are not in the file. keep: they stay, and are reported. delete: they are deleted, and members keep the roles of rules, unless another rule decides the role. delete-and-take: members also lose roles that they got from Latchkey. Defaults to keep.',
            ['keep', 'delete', 'delete-and-take'] as const,
          ),
        ),
        roles: T.Optional(
          T.Unsafe<unknown>({
            type: 'object',
            description: 'Names for roles, with their ids.',
            additionalProperties: { type: 'string', minLength: 1, maxLength: 128 },
          }),
        ),
        tokens: T.Optional(named('tokens')),
        rules: T.Optional(T.Array(named('rule'), { description: 'The rules, in order.', maxItems: 1000 })),
        compositions: T.Optional(
          T.Array(named('composition'), { description: 'The role compositions, in order.', maxItems: 1000 }),
        ),
        guestPasses: T.Optional(T.Array(named('guestPass'), { description: 'The guest passes.', maxItems: 200 })),
        never: T.Optional(
          T.Array(named('never'), {
            description: 'What must stay true of the rules, proven on every save.',
            maxItems: 20,
          }),
        ),
        brakes: T.Optional(named('brakes')),
        settings: T.Optional(
          T.Object(
            {
              checkPeriod: T.Optional(
                duration('How often every member is re-checked. Without it, the period of the plan applies.'),
              ),
            },
            { description: 'Settings of the community.', ...closed },
          ),
        ),
        tests: T.Optional(T.Array(named('test'), { description: 'Tests of the rules.', maxItems: 1000 })),
      },
      { description: 'A community. What it does not mention stays as it is.', ...closed },
    ),
    tokens: {
      type: 'object',
      description: 'Tokens by the names that conditions and tests use.',
      additionalProperties: { $ref: '#/$defs/token' },
    },
  };
  const file = T.Object(
    {
      version: T.Unsafe<1>({ const: 1, description: 'The version of this format: 1.' }),
      include: T.Optional(names('Other files, relative to this one. A * stands for any part of a file name.', 100)),
      variables: T.Optional(
        T.Unsafe<unknown>({
          type: 'object',
          description: 'Values that texts of this file, and of those that it includes, name as $'.concat(
            '{NAME}. --var and LATCHKEY_VAR_NAME in the environment override them.',
          ),
          additionalProperties: { type: ['string', 'number'] },
        }),
      ),
      tokens: T.Optional(named('tokens')),
      communities: T.Optional(T.Array(named('community'), { description: 'The communities.', maxItems: 200 })),
    },
    closed,
  );
  return JSON.parse(
    JSON.stringify({
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'Latchkey rules',
      description: 'Rules of communities as a file.',
      ...file,
      $defs: definitions,
    }),
  );
}

const limits = {
  removalPercent: T.Optional(
    T.Integer({
      minimum: 0,
      maximum: 100,
      description: 'More than this percentage of a role’s holders needs approval.',
    }),
  ),
  removalCount: T.Optional(
    T.Integer({ minimum: 1, maximum: 1_000_000, description: 'The percentage counts from this many members on.' }),
  ),
  removalsPerDay: T.Optional(
    T.Integer({ minimum: 0, maximum: 1_000_000, description: 'More removals of a role per day need approval.' }),
  ),
  manualChanges: T.Optional(
    choice('What happens to roles that were changed by hand.', ['correct', 'report', 'leave'] as const),
  ),
};

function described(schema: object | undefined): object {
  return isObject(schema) ? schema : amount('An amount.');
}
