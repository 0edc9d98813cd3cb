import type { CodeHost } from './code-host.ts';
import { openGitHub } from './github.ts';
import { openGitLab } from './gitlab.ts';

export type { CodeHost } from './code-host.ts';
export { type Review, writeComment } from './comment.ts';
export { digestsOf, markerOf, readDigests } from './digests.ts';

/** The code host whose job this process is; undefined elsewhere. */
export function openCodeHost(environment: Readonly<Record<string, string | undefined>>): CodeHost | undefined {
  if (environment.GITHUB_ACTIONS === 'true') return openGitHub(environment);
  if (environment.GITLAB_CI === 'true') return openGitLab(environment);
  return undefined;
}
