import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { isObject } from '@latchkey/kernel';
import { readYaml, volume } from '@latchkey/test-kit';
import { packAll } from '../../../../scripts/packages/pack.ts';
import { publishable } from '../../../../scripts/packages/publishable.ts';
import { npmCommand } from '../../../../scripts/setup/npm.mjs';
import { type HostEmulator, startGitHub, startGitLab } from '../harness/code-hosts.ts';
import { giveWallets } from '../harness/gated-world.ts';
import { type RuleCommunity, type RuleWorld, startRuleWorld } from '../harness/rule-communities.ts';

const cli = resolve(import.meta.dirname, '../../../cli');
const repository = 'cats/rules';
const projectId = 42;

interface Job {
  command: 'review' | 'apply';
  /** The pull request that it runs for. */
  number?: number;
  isFromFork?: boolean;
  apiKey: string;
  options?: string;
}

/** A code host: its emulator, and the script of its file with the environment that its runner would give it. */
interface Host {
  emulator: HostEmulator;
  prepare(
    job: Job,
    sha: string,
  ): Promise<{ script: string; shell: readonly string[]; environment: Record<string, string> }>;
}

/** The action and the template, by their own scripts, against a server with its worker, a Git repository and the code host’s endpoints. */
describe('rules in continuous integration', () => {
  let rules: RuleWorld;
  let home: string;
  let tarball: string;
  const hosts = new Map<string, Host>();
  before(async () => {
    rules = await startRuleWorld();
    home = await mkdtemp(join(tmpdir(), 'latchkey-ci-'));
    const [packed] = await packAll(
      publishable.filter(({ folder }) => folder === 'cli'),
      home,
    );
    tarball = packed?.tarball ?? assert.fail('the command line was not packed');
    await makeTools(join(home, 'bin'));
    hosts.set('GitHub', await githubHost());
    hosts.set('GitLab', await gitlabHost());
  });
  after(async () => {
    for (const { emulator } of hosts.values()) await emulator[Symbol.asyncDispose]();
    await rules?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  /** The Node of this process, and its npx. */
  async function makeTools(folder: string): Promise<void> {
    await mkdir(folder);
    await symlink(process.execPath, join(folder, 'node'));
    const [, npm] = npmCommand(process.execPath);
    if (npm === undefined) return;
    const npx = join(dirname(npm), 'npx-cli.js');
    await writeFile(join(folder, 'npx'), `#!/bin/sh\nexec "${process.execPath}" "${npx}" "$@"\n`, { mode: 0o755 });
  }

  async function githubHost(): Promise<Host> {
    const emulator = await startGitHub(repository);
    const [action] = readYaml(await readFile(join(cli, 'github/action.yml'), 'utf8')) as [ActionFile];
    return {
      emulator,
      prepare: async ({ command, number, isFromFork = false, apiKey, options = '' }, sha) => {
        const step =
          action.runs.steps.find((one) => one.if === `inputs.command == '${command}'`) ?? assert.fail(command);
        assert.equal(step.shell, 'bash');
        const given: Record<string, string> = {
          command,
          url: rules.server.url,
          'api-key': apiKey,
          options,
          package: tarball,
        };
        const fillIn = (text: string): string =>
          text.replaceAll(/\$\{\{ (?:inputs\.([\w-]+)|(github\.token)) \}\}/g, (_all, name: string | undefined) =>
            name === undefined
              ? emulator.token
              : (given[name] ?? fillIn(action.inputs[name]?.default ?? assert.fail(name))),
          );
        const eventPath = join(home, `event-${sha}.json`);
        const head = { repo: { full_name: isFromFork ? 'stranger/rules' : repository } };
        await writeFile(
          eventPath,
          JSON.stringify(number === undefined ? { ref: 'refs/heads/main' } : { pull_request: { number, head } }),
        );
        return {
          script: step.run,
          // What `shell: bash` is: https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax
          shell: ['bash', '--noprofile', '--norc', '-eo', 'pipefail'],
          environment: {
            ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, fillIn(value)])),
            GITHUB_ACTIONS: 'true',
            GITHUB_API_URL: emulator.url,
            GITHUB_REPOSITORY: repository,
            GITHUB_EVENT_PATH: eventPath,
            GITHUB_STEP_SUMMARY: join(home, 'summary.md'),
            GITHUB_SHA: sha,
          },
        };
      },
    };
  }

  async function gitlabHost(): Promise<Host> {
    const emulator = await startGitLab(projectId);
    const [head, template] = readYaml(await readFile(join(cli, 'gitlab/latchkey-rules.yml'), 'utf8')) as [
      TemplateHead,
      Record<string, TemplateJob>,
    ];
    return {
      emulator,
      prepare: async ({ command, number, isFromFork = false, apiKey, options = '' }, sha) => {
        const job = template[`latchkey-rules-${command}`] ?? assert.fail(command);
        const given: Record<string, string> = { options, package: tarball };
        const variables = template[job.extends]?.variables ?? {};
        const filled = Object.entries(variables).map(([name, value]) => [
          name,
          value.replaceAll(
            /\$\[\[ inputs\.(\w+) \]\]/g,
            (_all, input: string) => given[input] ?? head.spec.inputs[input]?.default ?? assert.fail(input),
          ),
        ]);
        return {
          script: (job.script ?? []).join('\n'),
          shell: ['sh', '-e'],
          environment: {
            ...Object.fromEntries(filled),
            // The variables of the project, of which a fork has none.
            ...(!isFromFork && { LATCHKEY_API_KEY: apiKey, LATCHKEY_GITLAB_TOKEN: emulator.token }),
            LATCHKEY_URL: rules.server.url,
            GITLAB_CI: 'true',
            CI_API_V4_URL: `${emulator.url}/api/v4`,
            CI_PROJECT_ID: String(projectId),
            CI_COMMIT_SHA: sha,
            ...(number !== undefined && {
              CI_MERGE_REQUEST_IID: String(number),
              CI_MERGE_REQUEST_PROJECT_ID: String(projectId),
              CI_MERGE_REQUEST_SOURCE_PROJECT_ID: isFromFork ? '99' : String(projectId),
            }),
          },
        };
      },
    };
  }

  interface Repository {
    folder: string;
    git(...words: string[]): Promise<string>;
    read(): Promise<string>;
    /** Writes the file on a branch of its own. */
    propose(branch: string, text: string, areRules?: boolean): Promise<void>;
    /** Merges a branch into main with the number of its pull request, and returns the commit. */
    merge(branch: string, number: number, host: Host): Promise<string>;
  }

  /** A local repository with the community’s rules, as `latchkey rules pull` wrote them. */
  async function makeRepository(community: RuleCommunity): Promise<Repository> {
    const folder = await mkdtemp(join(home, 'repository-'));
    const git = async (...words: string[]) => {
      const identity = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', '-c', 'commit.gpgsign=false'];
      const { stdout } = await promisify(execFile)('git', [...identity, ...words], { cwd: folder });
      return stdout.trim();
    };
    await git('init', '--quiet', '--initial-branch=main');
    const file = join(folder, 'latchkey.yaml');
    const main = join(home, 'packages/cli/dist/main.js');
    const env = { LATCHKEY_URL: rules.server.url, LATCHKEY_API_KEY: community.key };
    const latchkey = (...words: string[]) =>
      promisify(execFile)(process.execPath, [main, 'rules', ...words], { cwd: folder, env });
    await latchkey('pull', community.id);
    const commit = async (message: string) => {
      await git('add', 'latchkey.yaml');
      await git('commit', '--quiet', '--message', message);
    };
    await commit('Begin');
    return {
      folder,
      git,
      read: () => readFile(file, 'utf8'),
      propose: async (branch, text, areRules = true) => {
        await git('checkout', '--quiet', '-B', branch);
        await writeFile(file, text);
        if (areRules) await latchkey('fmt');
        await commit(branch);
      },
      merge: async (branch, number, { emulator }) => {
        await git('checkout', '--quiet', 'main');
        await git('merge', '--quiet', '--no-ff', '--message', `Merge ${branch}`, branch);
        const sha = await git('rev-parse', 'HEAD');
        emulator.merged.push({ number, sha });
        return sha;
      },
    };
  }

  /** Runs the script of a file, as the runner of its host would. */
  async function runJob(host: Host, { folder, git }: Repository, job: Job) {
    const { script, shell, environment } = await host.prepare(job, await git('rev-parse', 'HEAD'));
    const path = join(home, 'script.sh');
    await writeFile(path, script);
    const [command = '', ...words] = shell;
    const child = spawn(command, [...words, path], {
      cwd: folder,
      env: {
        PATH: `${join(home, 'bin')}:${process.env.PATH}`,
        HOME: home,
        npm_config_cache: join(home, 'npm-cache'),
        npm_config_offline: 'true',
        npm_config_update_notifier: 'false',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    const code = await new Promise<number | null>((done) => child.once('close', done));
    for (const secret of [job.apiKey, host.emulator.token])
      assert.ok(secret === '' || !text.includes(secret), 'a job prints no secret');
    return { code, text };
  }

  const addRule = (text: string, rule: string) =>
    text.replace('rules:', `rules:\n${rule}`).replace('rules:\n []', 'rules:');
  const whales = (min: number) =>
    `      - name: Whales\n        role: Whale\n        when: { type: ERC721, chainId: ${rules.world.chain.chainId}, contractAddress: '${rules.world.chain.contracts.erc721}', min: ${min} }\n`;

  let accounts = 0;

  /** A community with a member who holds a key, and its repository. */
  async function begin() {
    const community = await rules.settle();
    const { world, server } = rules;
    const holder = world.discord.addMember(community.guild.id).user.id;
    accounts += 1;
    const account = world.chain.accounts[3 + accounts] ?? assert.fail();
    await world.chain.mintKeys([account.address]);
    await giveWallets(server.services, { members: [{ userId: holder, address: account.address }] });
    const token = { type: 'ERC721', chainId: world.chain.chainId, contractAddress: world.chain.contracts.erc721 };
    await community.create({ name: 'Keys', ...token, roleId: community.roleOf('Holder') });
    await server.worker.idle();
    const rolesOf = () => world.discord.getGuild(community.guild.id).members.get(holder)?.roles ?? new Set();
    return { community, holder, rolesOf, repo: await makeRepository(community) };
  }

  let numbers = 0;
  const nextNumber = () => {
    numbers += 1;
    return numbers;
  };

  // Both run the same command line, by scripts of their own.
  for (const name of ['GitHub', 'GitLab'].slice(0, volume(1, 2))) {
    const hostOf = () => hosts.get(name) ?? assert.fail(name);

    test(`${name}: a change is commented once, the comment follows it, and after the merge what was reviewed is applied`, async () => {
      const { community, holder, rolesOf, repo } = await begin();
      const host = hostOf();
      const [number, apiKey] = [nextNumber(), community.key];
      const comments = () => host.emulator.comments.get(number) ?? [];
      const base = await repo.read();
      await repo.propose('whales', addRule(base, whales(2)));
      host.emulator.failNext(502);
      const first = await runJob(host, repo, { command: 'review', number, apiKey });
      assert.equal(first.code, 0, first.text);
      const [comment, ...more] = comments();
      assert.deepEqual(more, []);
      assert.match(
        comment?.body ?? '',
        /^<!-- latchkey-rules latchkey\.yaml {2}-->\n<!-- latchkey-reviewed [0-9a-f]{32} -->\n## Latchkey rules: 1 change\n/,
      );
      assert.match(comment?.body ?? '', /```diff\n\+ Rule “Whales”\n/);
      assert.match(comment?.body ?? '', /Nobody gains or loses a role/);

      await repo.propose('whales', addRule(base, whales(1)));
      const second = await runJob(host, repo, { command: 'review', number, apiKey, options: '--members' });
      assert.equal(second.code, 0, second.text);
      assert.deepEqual(
        comments().map(({ id }) => id),
        [comment?.id],
        'the same comment was changed',
      );
      const [{ body } = { body: '' }] = comments();
      assert.match(body, /\| `Whale` \| 1 \| 0 \| 0 \|/);
      assert.match(
        body,
        new RegExp(`<details><summary>Members \\(1\\)</summary>\\n\\n\`\`\`text\\n.*${holder}.*: gains Whale`),
      );
      const before = await community.readRules();

      await repo.merge('whales', number, host);
      const applied = await runJob(host, repo, { command: 'apply', apiKey });
      assert.equal(applied.code, 0, applied.text);
      assert.match(applied.text, /applied 1 change\.\n {2}Done: 1 role changes\./);
      assert.ok(rolesOf().has(community.roleOf('Whale')));
      const rows = await community.readRules();
      assert.equal(rows.length, before.length + 1);
      const again = await runJob(host, repo, { command: 'apply', apiKey });
      assert.equal(again.code, 0, again.text);
      assert.match(again.text, /nothing to change/);
      assert.deepEqual(await community.readRules(), rows);
    });

    test(`${name}: what nobody reviewed is not applied, nor what others write for reviewed`, async () => {
      const { community, repo } = await begin();
      const host = hostOf();
      const [number, apiKey] = [nextNumber(), community.key];
      const before = await community.readRules();
      await repo.propose('whales', addRule(await repo.read(), whales(2)));
      assert.equal((await runJob(host, repo, { command: 'review', number, apiKey })).code, 0);
      const [reviewed] = host.emulator.comments.get(number) ?? [];
      await repo.merge('whales', number, host);

      // Written by someone else: the very same comment.
      host.emulator.comments.set(number, [{ id: 1, author: 'mallory', body: reviewed?.body ?? '' }]);
      const forged = await runJob(host, repo, { command: 'apply', apiKey });
      assert.equal(forged.code, 1, forged.text);
      assert.match(forged.text, /This is not what was reviewed/);
      host.emulator.comments.set(number, reviewed === undefined ? [] : [reviewed]);

      // The community changed after the review.
      const token = { type: 'ERC20', chainId: 1, contractAddress: `0x${'1'.repeat(40)}` };
      await community.create({ name: 'Made in the console', ...token, roleId: community.roleOf('VIP') });
      const stale = await runJob(host, repo, { command: 'apply', apiKey });
      assert.equal(stale.code, 1, stale.text);
      assert.match(stale.text, /the file or the community was changed since\. It was not applied/);

      // Pushed without a pull request.
      await writeFile(
        join(repo.folder, 'latchkey.yaml'),
        addRule(await repo.read(), whales(3).replace('Whales', 'More')),
      );
      await repo.git('commit', '--quiet', '--all', '--message', 'Unreviewed');
      const pushed = await runJob(host, repo, { command: 'apply', apiKey });
      assert.equal(pushed.code, 1, pushed.text);
      assert.match(pushed.text, /No merged (pull|merge) request led to this commit/);
      assert.equal((await community.readRules()).length, before.length + 1, 'only what the console did');
    });

    test(`${name}: a fork gets no plan and writes no comment, even where a secret reached it`, async () => {
      const { community, repo } = await begin();
      const host = hostOf();
      const number = nextNumber();
      await repo.propose('fork', addRule(await repo.read(), whales(1)));
      for (const apiKey of ['', community.key]) {
        const before = host.emulator.requests.length;
        const review = await runJob(host, repo, { command: 'review', number, apiKey, isFromFork: true });
        assert.equal(review.code, 0, review.text);
        assert.match(review.text, /0 tests, 0 failed\./);
        assert.ok(!review.text.includes('Whales'), 'no plan was made');
        assert.equal(host.emulator.requests.length, before);
      }
    });
  }

  test('a failing test or a file that cannot be read fails the job, and its comment applies nothing', async () => {
    const { community, repo } = await begin();
    const host = hosts.get('GitHub') ?? assert.fail();
    const [number, apiKey] = [nextNumber(), community.key];
    const failing = `${addRule(await repo.read(), whales(1)).trimEnd()}\n    tests:\n      - name: Wrong\n        expect: { Whale: role }\n`;
    await repo.propose('wrong', failing);
    const failed = await runJob(host, repo, { command: 'review', number, apiKey });
    assert.equal(failed.code, 1, failed.text);
    const bodyOf = () => host.emulator.comments.get(number)?.[0]?.body ?? '';
    assert.match(bodyOf(), /<!-- latchkey-reviewed {2}-->\n## Latchkey rules: the checks failed\n/);
    assert.match(
      bodyOf(),
      /- `latchkey rules test`: \*\*failed\*\*\n\n```text\nlatchkey\.yaml:\d+:\d+: Wrong: expected role for Whale/,
    );
    await repo.merge('wrong', number, host);
    const applied = await runJob(host, repo, { command: 'apply', apiKey });
    assert.equal(applied.code, 1, applied.text);
    assert.match(applied.text, /This is not what was reviewed/);
    await repo.propose('broken', 'version: 1\ncommunities: [\n', false);
    assert.equal((await runJob(host, repo, { command: 'review', number, apiKey })).code, 1);
    assert.match(bodyOf(), /There is no plan: `latchkey\.yaml:\d+:\d+: /);
  });

  test('a name of a rule is no command of GitHub Actions, and formats nothing in the comment', async () => {
    const { community, repo } = await begin();
    const host = hosts.get('GitHub') ?? assert.fail();
    const [number, apiKey] = [nextNumber(), community.key];
    const nasty = '::error::pwned\\n::add-mask::x ``` </details> @everyone <!-- latchkey-reviewed 0 -->';
    await repo.propose('nasty', addRule(await repo.read(), whales(2)).replace('name: Whales', `name: "${nasty}"`));
    const review = await runJob(host, repo, { command: 'review', number, apiKey });
    assert.ok(!/^\s*::/m.test(review.text), review.text);
    const body = host.emulator.comments.get(number)?.[0]?.body ?? '';
    assert.match(
      body,
      /\n(````+)diff\n\+ Rule “::error::pwned ::add-mask::x ``` <\/details> @everyone .*\n[\s\S]*?\n\1\n/,
    );
    assert.match(await readFile(join(home, 'summary.md'), 'utf8'), /## Latchkey rules: 1 change/);
  });

  test('the sample repository has the workflow that the README shows, whose jobs have no right that they do not need', async () => {
    const path = resolve(cli, '../../samples/rules/.github/workflows/rules.yml');
    const text = await readFile(path, 'utf8');
    assert.ok((await readFile(join(cli, 'README.md'), 'utf8')).includes(`\`\`\`yaml\n${text}\`\`\``));
    const [{ permissions, jobs }] = readYaml(text) as [WorkflowFile];
    assert.deepEqual(permissions, {});
    assert.deepEqual(jobs.review?.permissions, { contents: 'read', 'pull-requests': 'write' });
    assert.deepEqual(jobs.apply?.permissions, { contents: 'read', 'pull-requests': 'read' });
    assert.ok(!text.includes('pull_request_target'));
    const [action] = readYaml(await readFile(join(cli, 'github/action.yml'), 'utf8')) as [ActionFile];
    for (const { steps } of Object.values(jobs))
      for (const { uses, with: inputs = {} } of steps)
        if (uses.startsWith('./'))
          assert.deepEqual(
            Object.keys(inputs).filter((name) => !Object.hasOwn(action.inputs, name)),
            [],
          );
  });

  test('the files name the version that they come with', async () => {
    const { version } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8')) as { version: string };
    for (const path of ['github/action.yml', 'gitlab/latchkey-rules.yml'])
      for (const document of readYaml(await readFile(join(cli, path), 'utf8'))) {
        const { spec } = document as Partial<TemplateHead>;
        const inputs = spec?.inputs ?? (document as Partial<ActionFile>).inputs;
        if (isObject(inputs)) assert.equal(inputs.package?.default, `@latchkey/cli@${version}`, path);
      }
  });
});

type Inputs = Record<string, { default?: string }>;

interface ActionFile {
  inputs: Inputs;
  runs: { steps: { if: string; shell: string; env?: Record<string, string>; run: string }[] };
}

interface WorkflowFile {
  permissions: object;
  jobs: Record<string, { permissions: object; steps: { uses: string; with?: Record<string, string> }[] }>;
}

interface TemplateHead {
  spec: { inputs: Inputs };
}

interface TemplateJob {
  extends: string;
  variables?: Record<string, string>;
  script?: string[];
}
