/** A task of readers, and the page that explains it. */
interface Task {
  title: string;
  path: string;
}

const members: readonly Task[] = [
  { title: 'Verify your wallet', path: '/help-docs/wallets/verify-your-wallet' },
  { title: 'Create a rule', path: '/help-docs/command-center/create-a-tgr/how-to-create-a-tgr' },
  { title: 'Add the bot to your server', path: '/help-docs/set-up-the-bot/add-the-bot' },
  { title: 'Fix Discord permission errors', path: '/help-docs/errors/Permissions' },
];
const developers: readonly Task[] = [
  { title: 'Get an API key', path: '/docs/downstream-integrations/api/authentication' },
  { title: 'Check roles for a wallet', path: '/docs/downstream-integrations/api/token-gating' },
  { title: 'Build a mini-app', path: '/docs/upstream-integrations/miniapp-actions/getting-started' },
  { title: 'Move from another bot', path: '/docs/common-reference-docs/moving-from-the-original' },
];
const operators: readonly Task[] = [
  { title: 'Install Latchkey', path: '/operators/install' },
  { title: 'Connect Discord', path: '/operators/discord' },
  { title: 'Back up and restore', path: '/operators/back-up' },
  { title: 'Upgrade', path: '/operators/upgrade' },
];
const governance: readonly Task[] = [
  { title: 'Vote', path: '/dao/governance/voting' },
  { title: 'Write a proposal', path: '/dao/governance/proposals' },
  { title: 'Claim tokens', path: '/dao/token/claim' },
];

const byInstance: Record<string, readonly Task[]> = {
  default: developers,
  'help-docs': members,
  operators,
  dao: governance,
};

/** Returns the most common tasks of readers of the docs with this tag. */
export function tasksFor(here: string | undefined): readonly Task[] {
  const instance = /^docs-(.+)-[^-]+$/.exec(here ?? '')?.[1] ?? '';
  return byInstance[instance] ?? [...members.slice(0, 2), ...developers.slice(0, 2), ...operators.slice(0, 1)];
}
