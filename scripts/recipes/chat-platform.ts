import type { Recipe } from './recipe.ts';

const folder = 'packages/platforms/src/slack';

export const chatPlatform: Recipe = {
  title: 'add a chat platform',
  atMost: 8,
  folder,
  checks: [
    `${folder}/slack.test.ts`,
    'packages/kernel/src/chat-platforms.test.ts',
    'packages/server/test/guards/chat-platforms.test.ts',
    'packages/server/src/config.test.ts',
    'scripts/chat-platforms.test.ts',
    'scripts/architecture.test.ts',
  ],
  apply: (tree) => {
    tree.create(
      `${folder}/index.ts`,
      `import { type Fetch, fieldsOf, listOf, requestJson, ServiceFailed } from '@latchkey/adapter-kit';
import { type MemberRoles, PlatformFailed, type RedirectIdentityProvider, type RoleHost } from '@latchkey/core/ports';
import { createCodeFlow } from '../oauth/create-code-flow.ts';

export interface SlackOptions {
  token: string;
  apiUrl: string;
  fetch: Fetch;
}

/** Workspaces of Slack. Their roles are user groups. */
export function createSlackHost(options: SlackOptions): RoleHost {
  const readRoles: RoleHost['readRoles'] = async (_teamId, signal) =>
    listOf(await ask(options, 'usergroups.list', 'usergroups', signal), 'the user groups').map((group) => {
      const { id, name } = fieldsOf(group, 'a user group');
      return { id: String(id), name: String(name) };
    });
  const readAll = async (signal?: AbortSignal): Promise<MemberRoles[]> =>
    listOf(await ask(options, 'users.list', 'members', signal), 'the members').map((member) => {
      const { id, name, groups } = fieldsOf(member, 'a member');
      return { userId: String(id), userName: String(name), roleIds: listOf(groups ?? [], 'the groups').map(String) };
    });
  return {
    platform: 'slack',
    writesAtOnce: 1,
    readRoles,
    readMember: async (_teamId, userId, signal) => (await readAll(signal)).find((member) => member.userId === userId),
    readMembers: async function* (_teamId, signal) {
      yield await readAll(signal);
    },
    writeMember: async () => ({ kind: 'failed', reason: 'Writing is the next step of this recipe.' }),
  };
}

async function ask({ token, apiUrl, fetch }: SlackOptions, method: string, field: string, signal?: AbortSignal) {
  try {
    const headers = { authorization: \`Bearer \${token}\` };
    const { body } = await requestJson(\`\${apiUrl}/\${method}\`, { service: 'Slack', fetch, headers, signal });
    return fieldsOf(body, 'the response')[field];
  } catch (error) {
    if (error instanceof ServiceFailed) throw new PlatformFailed('unavailable', error.message);
    throw error;
  }
}

/** Signs people in with Slack, by OpenID Connect. */
export function createSlackLogin(options: {
  clientId: string;
  clientSecret: string;
  apiUrl: string;
  fetch: typeof globalThis.fetch;
}): RedirectIdentityProvider {
  return createCodeFlow({
    ...options,
    name: 'Slack',
    variables: 'LATCHKEY_SLACK_CLIENT_ID and LATCHKEY_SLACK_CLIENT_SECRET',
    issuer: undefined,
    authorizeUrl: 'https://slack.com/openid/connect/authorize',
    tokenUrl: \`\${options.apiUrl}/openid.connect.token\`,
    profileUrl: \`\${options.apiUrl}/openid.connect.userInfo\`,
    scope: 'openid profile',
    userAgent: 'Latchkey',
    hasPkce: false,
    readProfile: ({ sub, name }) =>
      typeof sub === 'string' && typeof name === 'string' ? { userId: sub, name } : undefined,
  });
}
`,
    );
    tree.create(
      `${folder}/slack.test.ts`,
      `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlatformFailed } from '@latchkey/core/ports';
import { createSlackHost } from './index.ts';

test('members are read with their groups, and an outage is a platform failure', async () => {
  const open = (answer: () => Response) =>
    createSlackHost({ token: 'x', apiUrl: 'https://slack.test/api', fetch: async () => answer() });
  const host = open(() => Response.json({ members: [{ id: 'U1', name: 'ada', groups: ['S1'] }] }));
  assert.deepEqual(await host.readMember('T1', 'U1'), { userId: 'U1', userName: 'ada', roleIds: ['S1'] });
  await assert.rejects(open(() => new Response('', { status: 400 })).readRoles('T1'), PlatformFailed);
});
`,
    );
    tree.insertBefore(
      'packages/kernel/src/chat-platforms.ts',
      '} as const satisfies Readonly<Record<string, ChatPlatform>>;',
      `  slack: {
    title: 'Slack',
    prefix: 'SLA',
    rightsToManage: 'the role Workspace Admin',
    settings: {
      bot: ['LATCHKEY_SLACK_BOT_TOKEN'],
      login: ['LATCHKEY_SLACK_CLIENT_ID', 'LATCHKEY_SLACK_CLIENT_SECRET'],
    },
    can: ['ownRoles'],
    botPermissions: { 'Manage user groups': 'Adds and removes members as your rules decide.' },
  },
`,
    );
    tree.replace(
      'packages/kernel/src/chat-platforms.test.ts',
      "'Discord, Telegram, Reddit or Matrix'",
      "'Discord, Telegram, Reddit, Matrix or Slack'",
    );
    const config = 'packages/server/src/config-platforms.ts';
    tree.insertBefore(
      config,
      '  LATCHKEY_X_CLIENT_ID: plainText(',
      `  LATCHKEY_SLACK_BOT_TOKEN: text('The token of the Slack bot.'),
  LATCHKEY_SLACK_CLIENT_ID: plainText('The id of the Slack app.'),
  LATCHKEY_SLACK_CLIENT_SECRET: text('The secret of the Slack app.'),
`,
    );
    tree.insertBefore(
      config,
      '    xClientId: values.LATCHKEY_X_CLIENT_ID,\n',
      `    slackBotToken: values.LATCHKEY_SLACK_BOT_TOKEN,
    slackClientId: values.LATCHKEY_SLACK_CLIENT_ID,
    slackClientSecret: values.LATCHKEY_SLACK_CLIENT_SECRET,
`,
    );
    tree.insertBefore(
      'docs/configuration.md',
      '| `LATCHKEY_X_CLIENT_ID` |',
      `| \`LATCHKEY_SLACK_BOT_TOKEN\` | The token of the Slack bot. | – |
| \`LATCHKEY_SLACK_CLIENT_ID\` | The id of the Slack app. | – |
| \`LATCHKEY_SLACK_CLIENT_SECRET\` | The secret of the Slack app. | – |
`,
    );
    tree.insertBefore(
      '.env.example',
      '# The OAuth 2.0 client id of the X app,',
      `# The token of the Slack bot.
#LATCHKEY_SLACK_BOT_TOKEN=

# The id of the Slack app.
#LATCHKEY_SLACK_CLIENT_ID=

# The secret of the Slack app.
#LATCHKEY_SLACK_CLIENT_SECRET=

`,
    );
    const compose = 'packages/server/src/compose/platforms.ts';
    tree.insertAfter(
      compose,
      "} from '@latchkey/platforms';\n",
      "import { createSlackHost, createSlackLogin } from '@latchkey/platforms/slack';\n",
    );
    tree.insertAfter(compose, '      ...(telegram && { telegram: telegram.host }),\n', '      ...slackHost(config),\n');
    tree.insertAfter(
      compose,
      '      ...(telegram && { telegram: telegram.login }),\n',
      '      ...slackLogin(config),\n',
    );
    tree.insertBefore(
      compose,
      '/** The OAuth application that members sign in with',
      `const slackUrl = 'https://slack.com/api';

function slackHost({ slackBotToken: token }: Config): ChatPlatforms['hosts'] {
  return token === undefined ? {} : { slack: createSlackHost({ token, apiUrl: slackUrl, fetch: fetchTo([slackUrl]) }) };
}

function slackLogin({ slackClientId: clientId, slackClientSecret: clientSecret }: Config) {
  if (clientId === undefined || clientSecret === undefined) return {};
  return { slack: createSlackLogin({ clientId, clientSecret, apiUrl: slackUrl, fetch: fetchTo([slackUrl]) }) };
}

`,
    );
    tree.create(
      'packages/db/migrations/9000-slack.sql',
      `alter table communities drop constraint communities_platform_check;
alter table communities add constraint communities_platform_check
  check (platform in ('discord', 'telegram', 'reddit', 'matrix', 'slack')) not valid;
alter table platform_logins drop constraint platform_logins_method_check;
alter table platform_logins add constraint platform_logins_method_check
  check (method in ('discord', 'telegram', 'reddit', 'matrix', 'slack')) not valid;
`,
    );
    const page = 'docs/platforms.md';
    for (const [row, cell] of [
      ['| Admins can create roles | yes | no | yes | yes |', ' yes |'],
      ['| Rules can give members a tag | no | yes | no | no |', ' no |'],
      ['| Joins and leaves are detected immediately | yes | yes | no | yes |', ' no |'],
      ['| Members can send commands to the bot | yes | yes | no | yes |', ' no |'],
      ['| The bot posts in the community | yes | yes | no | yes |', ' no |'],
      ['| The bot sends private messages | yes | yes | no | yes |', ' no |'],
      ['| Mini-apps | yes | no | no | no |', ' no |'],
      ['| Guest passes | yes | no | no | no |', ' no |'],
    ] as const)
      tree.insertAfter(page, row, cell);
    tree.replace(
      page,
      '| Matrix |\n|---|---|---|---|---|\n| Admins can create',
      '| Matrix | Slack |\n|---|---|---|---|---|---|\n| Admins can create',
    );
    tree.insertBefore(
      page,
      '## Telegram\n',
      '## Slack\n\nCommunities are `SLA#COMM#<workspace>`; their roles are user groups.\n\n',
    );
  },
};
