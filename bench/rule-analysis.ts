/**
 * What is proven while an admin edits a rule of 60 conditions about 20 tokens: its problems, and which members the edit lets in and locks out.
 * Compared with the same questions about a rule of one condition, in the same run.
 */
import { compareRules, drawFrom, findProblems, openRules } from '@latchkey/core/testing/insides';

const edits = 400;
const warmUps = 40;
const conditions = 60;
const tokens = 20;
const aimMs = 50;

type Draw = ReturnType<typeof drawFrom>;

interface Leaf {
  type: string;
  chainId: number;
  contractAddress: string;
  minToken: string;
  variables: object;
}

/** A rule, its conditions, and the same with one bound of one condition raised. */
interface Edit {
  before: object;
  after: object;
}

function editOf(draw: Draw, count: number): Edit {
  const leaves = Array.from({ length: count }, () => leafOf(draw));
  const changed = draw(count);
  const first = leaves[changed];
  if (first === undefined) throw new Error('A rule has at least one condition.');
  const raised = { ...first, minToken: String(Number(first.minToken) + 1) };
  const shape = draw(2 ** 30);
  return {
    before: treeOf(drawFrom(shape), leaves),
    after: treeOf(drawFrom(shape), leaves.with(changed, raised)),
  };
}

function leafOf(draw: Draw): Leaf {
  const token = draw(tokens);
  return {
    type: token % 2 === 0 ? 'ERC20' : 'ERC721',
    chainId: 1 + (token % 3),
    contractAddress: `0x${String(token + 1).padStart(40, '1')}`,
    minToken: String(1 + draw(10)),
    variables: {},
  };
}

/** A random tree over the conditions, in their order, within the depth that rules can have. */
function treeOf(draw: Draw, leaves: readonly Leaf[], depth = 0): object {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  const groups = depth > 8 ? leaves.length : Math.min(leaves.length, 2 + draw(3));
  const cuts = Array.from({ length: groups - 1 }, (_, index) => index + 1 + draw(leaves.length - groups + 1)).toSorted(
    (a, b) => a - b,
  );
  const ends = [...new Set(cuts), leaves.length];
  const parts = ends.map((end, index) => treeOf(draw, leaves.slice(ends[index - 1] ?? 0, end), depth + 1));
  switch (draw(8)) {
    case 0:
      return { atLeast: 1 + draw(parts.length), of: parts };
    case 1:
      return { or: [{ not: parts[0] }, ...parts.slice(1)] };
    case 2:
    case 3:
    case 4:
      return { and: parts };
    default:
      return { or: parts };
  }
}

function open(rule: object) {
  const definition = { scheme: 'logic', roleId: 'member', variables: { rule } };
  return openRules([{ id: 'rule', role_id: 'member', definition }]);
}

/** Asks what the console asks for a draft. Returns the milliseconds, those of the CPU, and the kinds of the answers. */
async function ask({ before, after }: Edit): Promise<{ ms: number; cpuMs: number; answers: string[] }> {
  const [old, edited] = [open(before), open(after)];
  if ([...old.rules, ...edited.rules].some((rule) => 'problem' in rule)) throw new Error('A rule cannot be read.');
  const [begun, spent] = [performance.now(), process.cpuUsage()];
  const problems = findProblems(edited, { ruleId: 'rule' });
  const [found] = await compareRules(old, edited, { roleId: 'member' });
  const ms = performance.now() - begun;
  const { user, system } = process.cpuUsage(spent);
  if (found === undefined) throw new Error('The role was not compared.');
  return {
    ms,
    cpuMs: (user + system) / 1000,
    answers: [...problems, found.noGains, found.noLosses].map(({ kind }) => kind),
  };
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}

const draw = drawFrom(1);
const [ours, empty, cpu]: [number[], number[], number[]] = [[], [], []];
const counts: Record<string, number> = {};
for (let edit = 0; edit < warmUps + edits; edit += 1) {
  const large = await ask(editOf(draw, conditions));
  const small = await ask(editOf(draw, 1));
  // A higher bound lets no member in and locks some out.
  if (small.answers.join() !== 'proven,disproven') throw new Error(`The baseline answered ${small.answers.join()}.`);
  if (edit < warmUps) continue;
  ours.push(large.ms);
  cpu.push(large.cpuMs);
  empty.push(small.ms);
  for (const answer of large.answers) counts[answer] = (counts[answer] ?? 0) + 1;
}
const [p95, baseline] = [percentile(ours, 0.95), percentile(empty, 0.95)];
const lost = (counts.unproven ?? 0) + (counts['too-large'] ?? 0);
console.log(`${edits} edits of ${conditions} conditions about ${tokens} tokens: ${JSON.stringify(counts)}`);
console.log(
  `median ${percentile(ours, 0.5).toFixed(1)} ms, baseline one condition ${percentile(empty, 0.5).toFixed(2)} ms`,
);
console.log(
  `p95 ${p95.toFixed(1)} ms, baseline one condition ${baseline.toFixed(2)} ms, ratio ${(p95 / baseline).toFixed(0)}`,
);
console.log(`p95 of the CPU time ${percentile(cpu, 0.95).toFixed(1)} ms`);
console.log(`p95 is at most ${aimMs} ms: ${p95 <= aimMs ? 'yes' : 'NO'}`);
console.log(`answers that were too large to prove: ${lost} of ${3 * edits}`);
