import { appendFile, readFile } from 'node:fs/promises';
import { isObject } from '@latchkey/kernel';
import { UsageError } from '../problems.ts';
import { callHost, type HostRequest, listAll } from './call-host.ts';
import type { CodeHost } from './code-host.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Comments of the token that GitHub gives every job are by this account. */
const actionsAccount = 'github-actions[bot]';

/** GitHub, as a job of GitHub Actions sees it. https://docs.github.com/rest/issues/comments */
export function openGitHub(environment: Environment): CodeHost {
  const need = (name: string) => {
    const value = environment[name];
    if (value === undefined || value === '') throw new UsageError(`${name} is not set.`);
    return value;
  };
  const author = environment.LATCHKEY_COMMENT_AUTHOR || actionsAccount;
  const repository = need('GITHUB_REPOSITORY');
  const at = (path: string) => new URL(`${need('GITHUB_API_URL')}/repos/${repository}${path}`);
  const headers = () => ({
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    authorization: `Bearer ${need('GITHUB_TOKEN')}`,
  });
  const send = (method: HostRequest['method'], path: string, body: string) =>
    callHost(at(path), { method: method ?? 'POST', headers: headers(), body: { body } });
  return {
    word: 'pull request',
    mostLetters: 65_536,
    async findProposal() {
      const event: unknown = JSON.parse(await readFile(need('GITHUB_EVENT_PATH'), 'utf8'));
      const pull = isObject(event) ? event.pull_request : undefined;
      if (!isObject(pull)) return undefined;
      const head = isObject(pull.head) && isObject(pull.head.repo) ? pull.head.repo.full_name : undefined;
      // The repository of a fork that was deleted is null.
      return { number: Number(pull.number), isFromFork: head !== repository };
    },
    async findMerged() {
      const sha = need('GITHUB_SHA');
      const pulls = await listAll(at(`/commits/${sha}/pulls`), headers());
      return pulls
        .filter((pull) => typeof pull.merged_at === 'string' && pull.merge_commit_sha === sha)
        .map(({ number }) => Number(number));
    },
    async listOwnComments(proposal) {
      const comments = await listAll(at(`/issues/${proposal}/comments`), headers());
      return comments
        .filter(({ user }) => isObject(user) && user.login === author)
        .map(({ id, body }) => ({ id: Number(id), body: String(body) }));
    },
    addComment: async (proposal, body) => void (await send('POST', `/issues/${proposal}/comments`, body)),
    changeComment: async (_proposal, id, body) => void (await send('PATCH', `/issues/comments/${id}`, body)),
    async showSummary(body) {
      const { GITHUB_STEP_SUMMARY: path } = environment;
      if (path !== undefined && path !== '') await appendFile(path, `${body}\n`);
    },
  };
}
