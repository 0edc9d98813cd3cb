import { basename, isAbsolute } from 'node:path';
import type { RuleSetToApply } from '@latchkey/core/rule-files';
import type { Options } from './commands/open.ts';
import type { Terminal } from './terminal.ts';

type Source = NonNullable<RuleSetToApply['source']>;

const longest = 500;

/**
 * Where the files come from, which the console shows to admins: by the variables of GitHub Actions or GitLab CI, or by git. The commit is
 * left out if the files are not as in it.
 */
export async function readSource(terminal: Terminal, { file }: Pick<Options, 'file'>): Promise<Source> {
  const shown = isAbsolute(file) ? basename(file) : file;
  const { repository, commit } = sourceInCi(terminal) ?? (await sourceByGit(terminal, file));
  return {
    file: shown.slice(0, longest),
    ...(repository && repository.length <= longest && { repository: withoutCredentials(repository) }),
    ...(commit && /^[0-9a-f]{7,64}$/i.test(commit) && { commit }),
  };
}

interface Found {
  repository?: string | undefined;
  commit?: string | undefined;
}

function sourceInCi({ environment }: Terminal): Found | undefined {
  const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: name, GITHUB_SHA, CI_PROJECT_URL, CI_COMMIT_SHA } = environment;
  if (host && name) return { repository: `${host}/${name}`, commit: GITHUB_SHA };
  return CI_PROJECT_URL ? { repository: CI_PROJECT_URL, commit: CI_COMMIT_SHA } : undefined;
}

async function sourceByGit({ git }: Terminal, file: string): Promise<Found> {
  if (git === undefined) return {};
  const changed = await git(['status', '--porcelain', '--', file]);
  return {
    repository: await git(['remote', 'get-url', 'origin']),
    commit: changed === '' ? await git(['rev-parse', 'HEAD']) : undefined,
  };
}

/** The address of a clone can contain a token. */
function withoutCredentials(repository: string): string {
  return repository.replace(/^([a-z][a-z+.-]*:\/\/)[^/]*@/i, '$1');
}
