import { isObject } from '@latchkey/kernel';
import { UsageError } from '../problems.ts';
import { callHost, type HostRequest, listAll } from './call-host.ts';
import type { CodeHost } from './code-host.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** GitLab, as a job of GitLab CI sees it. https://docs.gitlab.com/api/notes/#merge-requests */
export function openGitLab(environment: Environment): CodeHost {
  const need = (name: string, advice = '') => {
    const value = environment[name];
    if (value === undefined || value === '') throw new UsageError(`${name} is not set.${advice}`);
    return value;
  };
  const at = (path: string) => new URL(`${need('CI_API_V4_URL')}${path}`);
  const project = (path: string) => at(`/projects/${need('CI_PROJECT_ID')}${path}`);
  const headers = () => ({
    'private-token': need(
      'LATCHKEY_GITLAB_TOKEN',
      ' The token of a GitLab job cannot comment: create a project access token with the scope api.',
    ),
  });
  const send = (method: HostRequest['method'], path: string, body: string) =>
    callHost(project(path), { method: method ?? 'POST', headers: headers(), body: { body } });
  return {
    word: 'merge request',
    mostLetters: 1_000_000,
    async findProposal() {
      const { CI_MERGE_REQUEST_IID: number, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source } = environment;
      if (number === undefined || number === '') return undefined;
      return { number: Number(number), isFromFork: source !== need('CI_MERGE_REQUEST_PROJECT_ID') };
    },
    async findMerged() {
      const sha = need('CI_COMMIT_SHA');
      const found = await listAll(project(`/repository/commits/${sha}/merge_requests`), headers());
      return found
        .filter(({ state }) => state === 'merged')
        .filter((one) => [one.merge_commit_sha, one.squash_commit_sha, one.sha].includes(sha))
        .map(({ iid }) => Number(iid));
    },
    async listOwnComments(proposal) {
      const self = await callHost(at('/user'), { headers: headers() });
      const notes = await listAll(project(`/merge_requests/${proposal}/notes`), headers());
      return notes
        .filter(({ author }) => isObject(author) && isObject(self) && author.id === self.id)
        .map(({ id, body }) => ({ id: Number(id), body: String(body) }))
        .toSorted((a, b) => a.id - b.id);
    },
    addComment: async (proposal, body) => void (await send('POST', `/merge_requests/${proposal}/notes`, body)),
    changeComment: async (proposal, id, body) =>
      void (await send('PUT', `/merge_requests/${proposal}/notes/${id}`, body)),
    showSummary: async () => {},
  };
}
