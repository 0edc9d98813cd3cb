import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import { type Condition, readRule } from '../rules/index.ts';
import type { Bdd } from './bdd.ts';
import { Encoding } from './encode.ts';
import { type AnalysisOptions, type Answer, analyzeRules, compareRules, type Example, proveRequired } from './index.ts';
import { type Draw, drawFrom, open, pick, randomPair, randomTree, roles } from './testing/random-rules.ts';

/** analysis.random.test.ts covers the same in every run, without Python. */
const pairs = volume(0, 10_000);
const packages = ['z3-solver==5.4.0.0', 'cvc5==1.4.2'];
const program = join(import.meta.dirname, 'testing/compare.py');
const venv = join(import.meta.dirname, '../../../../../.cache/rule-solvers');
const python = join(venv, 'bin/python');

/** Installs the solvers once. Returns why that is not possible. */
function installSolvers(): string | false {
  const runs = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  const isInstalled = () => existsSync(python) && runs(python, '-c', 'import z3, cvc5');
  if (isInstalled()) return false;
  if (!runs('python3', '-m', 'venv', venv)) return 'There is no Python with venv here.';
  if (runs(python, '-m', 'pip', 'install', '--quiet', ...packages) && isInstalled()) return false;
  return `pip could not install ${packages.join(' and ')}.`;
}

const skip = pairs === 0 ? 'for npm run test:deep' : installSolvers();

type Claim = { answer: Answer['kind']; example?: object } & (
  | { kind: 'contained'; set: Side; other: Side; role: string }
  | { kind: 'required'; set: Side; role: string; unless: { role: string } | { holds: object } }
  | { kind: 'impossible'; set: Side; rule: number }
);
type Side = 'before' | 'after';

interface Case {
  seed: number;
  before: object[];
  after: object[];
  claims: Claim[];
}

interface Comparison {
  compared: Record<Answer['kind'], number>;
  disagreements: { seed: number; claim: string; answer: string; solver: string }[];
}

/** What the analysis says about a random pair of rule sets. */
async function answerAbout(seed: number, options: AnalysisOptions = {}): Promise<Case> {
  const draw = drawFrom(seed);
  const { before: former, after: edited } = randomPair(draw);
  const [old, set] = [open(former), open(edited)];
  const role = pick(draw, roles);
  const [compared] = await compareRules(old, set, { ...options, roleId: role });
  assert.ok(compared !== undefined);
  const claims: Claim[] = [
    { kind: 'contained', set: 'after', other: 'before', role, ...shown(compared.noGains) },
    { kind: 'contained', set: 'before', other: 'after', role, ...shown(compared.noLosses) },
  ];
  const { unless, required } = randomRequirement(draw, role);
  claims.push({
    kind: 'required',
    set: 'after',
    role,
    unless,
    ...shown(await proveRequired(set, role, required, options)),
  });
  const findings = await analyzeRules(set, options);
  for (const [rule, { scheme }] of (edited as { scheme: string }[]).entries()) {
    const of = findings.filter((finding) => 'ruleId' in finding && finding.ruleId === `rule-${rule}`);
    if (scheme !== 'logic' || of.some(({ kind }) => kind === 'too-large')) continue;
    const isImpossible = of.some(({ kind }) => kind === 'impossible');
    claims.push({ kind: 'impossible', set: 'after', rule, answer: isImpossible ? 'proven' : 'disproven' });
  }
  return { seed, before: former, after: edited, claims };
}

function randomRequirement(draw: Draw, role: string) {
  if (draw(2) === 0) {
    const other = pick(
      draw,
      roles.filter((id) => id !== role),
    );
    return { unless: { role: other }, required: { roleId: other } };
  }
  const holds = randomTree(draw, 1);
  const { condition } = readRule({ scheme: 'logic', roleId: role, variables: { rule: holds } });
  return { unless: { holds }, required: { condition } };
}

function shown(answer: Answer): Pick<Claim, 'answer' | 'example'> {
  if (answer.kind !== 'disproven') return { answer: answer.kind };
  return { answer: answer.kind, example: memberIn(answer.example) };
}

/** The member in the words of the rules. */
function memberIn({ wallets, roles: known }: Example): object {
  return {
    wallets: wallets.map(({ chain, holdings }) => ({
      chain: chainIdOf(chain),
      holdings: holdings.map(({ asset, reading, amount }) => ({
        asset: [asset.standard.toUpperCase(), chainIdOf(asset.chain), asset.reference],
        isLong: reading.heldForSeconds !== undefined,
        amount,
      })),
    })),
    roles: known.flatMap(({ roleId, isHeld }) => (isHeld ? [roleId] : [])),
  };
}

function chainIdOf(chain: string): number {
  return Number(chain.replace('evm:', ''));
}

/** Encodes upper bounds as if there were none. */
class ForgetsMaximum extends Encoding {
  override condition(condition: Condition): Bdd {
    if (condition.kind !== 'holding') return super.condition(condition);
    const { max: _max, ...unbounded } = condition;
    return super.condition(unbounded);
  }
}

/** Encodes "at least 2 of" as "at least 1 of". */
class CountsOneTooMany extends Encoding {
  override condition(condition: Condition): Bdd {
    if (condition.kind !== 'at-least' || condition.count < 2) return super.condition(condition);
    return super.condition({ ...condition, count: condition.count - 1 });
  }
}

/** Assumes that every member has linked a wallet on every chain. */
class AssumesWallets extends Encoding {
  override get possible(): Bdd {
    return this.bdds.and(super.possible, this.hasWallets);
  }
}

describe('rule analysis, compared with z3 and cvc5', { skip }, () => {
  let folder: string;
  before(async () => {
    await mkdir(venv, { recursive: true });
    folder = await mkdtemp(join(tmpdir(), 'latchkey-solvers-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  async function compare(name: string, cases: readonly Case[]): Promise<Comparison> {
    const processes = Math.min(4, availableParallelism());
    const parts = await Promise.all(
      Array.from({ length: processes }, async (_, part) => {
        const file = join(folder, `${name}-${part}.jsonl`);
        const own = cases.filter((__, index) => index % processes === part);
        await writeFile(file, own.map((one) => `${JSON.stringify(one)}\n`).join(''));
        return compareFile(file);
      }),
    );
    const compared = { proven: 0, disproven: 0, unproven: 0 };
    for (const part of parts)
      for (const kind of ['proven', 'disproven', 'unproven'] as const) compared[kind] += part.compared[kind];
    return { compared, disagreements: parts.flatMap(({ disagreements }) => disagreements) };
  }

  async function compareFile(file: string): Promise<Comparison> {
    const child = spawn(python, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    createReadStream(file).pipe(child.stdin);
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    assert.equal(child.exitCode, 0);
    return JSON.parse(printed) as Comparison;
  }

  async function answers(count: number, first: number, options: AnalysisOptions = {}): Promise<Case[]> {
    const cases: Case[] = [];
    for (let seed = first; seed < first + count; seed += 1) cases.push(await answerAbout(seed, options));
    return cases;
  }

  test('both agree with every proof and every example, and so does a third evaluation of the examples', async (t) => {
    const first = seedNumber('solvers');
    const { compared, disagreements } = await compare('random', await answers(pairs, first));
    t.diagnostic(`${pairs} pairs from seed ${first}: ${JSON.stringify(compared)}`);
    assert.deepEqual(disagreements, []);
    assert.ok(compared.proven > pairs / 2 && compared.disproven > pairs / 2, JSON.stringify(compared));
    assert.ok(compared.unproven < (compared.proven + compared.disproven) / 20, JSON.stringify(compared));
  });

  for (const Faulty of [ForgetsMaximum, CountsOneTooMany, AssumesWallets])
    test(`a fault in the encoding is found: ${Faulty.name}`, async () => {
      const options: AnalysisOptions = { encode: (conditions, limits) => new Faulty(conditions, limits) };
      const cases = await answers(Math.min(pairs, 500), 1, options);
      const { disagreements } = await compare(Faulty.name, cases);
      const solvers = new Set(disagreements.map((one) => one.solver));
      assert.ok(solvers.has('z3') && solvers.has('cvc5'), `only ${[...solvers].join(', ')} disagreed`);
    });
});
