const everywhere = ['verify your wallet', 'create a rule', 'API key'];
const byInstance: Record<string, string[]> = {
  default: ['token gating', 'authentication', 'mini-app'],
  'help-docs': ['verify your wallet', 'create a rule', 'permissions'],
  operators: ['install', 'backup', 'settings'],
  dao: ['voting', 'proposal', 'claim'],
  telefrens: ['Telegram', 'gm-pass', 'waiting list'],
};

/** Returns alternative searches for readers of the docs with this tag. */
export function suggestionsFor(here: string | undefined): string[] {
  const instance = /^docs-(.+)-[^-]+$/.exec(here ?? '')?.[1] ?? '';
  return byInstance[instance] ?? everywhere;
}
