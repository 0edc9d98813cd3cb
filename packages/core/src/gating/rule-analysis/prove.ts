import { type Condition, leavesOf } from '../rules/index.ts';
import { type Bdd, type Effort, TooLarge } from './bdd.ts';
import { Encoding, type Limits, subjectOf } from './encode.ts';
import { type Example, Replay } from './replay.ts';

export interface AnalysisOptions {
  /** The most nodes of a decision diagram. */
  mostNodes?: number;
  /** What is left for this question and others. Bounds the work where many questions are asked at once. */
  effort?: Effort;
  /** How conditions become functions. Tests plant faults in it. */
  encode?: (conditions: readonly Condition[], limits: Limits) => Encoding;
}

/** A proof runs on the event loop. Reaching these limits takes about a tenth of a second. */
const usualNodes = 100_000;
export const usualSteps = 400_000;

/** How large the rules are that were too large. */
export interface Size {
  conditions: number;
  /** Different tokens, and other facts about a member. */
  subjects: number;
}

/** Whether a statement about all members is true; an example shows why not. */
export type Answer =
  | { kind: 'proven' }
  | { kind: 'disproven'; example: Example }
  | { kind: 'unproven'; reason: 'too-large'; size: Size }
  /** Other questions left fewer steps than a question usually has. */
  | { kind: 'unproven'; reason: 'no-effort-left' }
  /** Rules of the role cannot be read, or the evaluator did not confirm the example. */
  | { kind: 'unproven'; reason: 'not-confirmed' | 'unreadable-rule' };

/** A statement about all members. */
export interface Claim {
  /** The members that disprove it. */
  counterexample: Bdd;
  /** Whether the evaluator agrees about one of them. */
  confirm(replay: Replay): Promise<boolean>;
}

/** Answers questions about the same conditions. */
export class Prover {
  readonly #conditions: readonly Condition[];
  readonly #options: AnalysisOptions;
  #encoding: Encoding | undefined;

  constructor(conditions: readonly Condition[], options: AnalysisOptions) {
    this.#conditions = [...new Set(conditions)];
    this.#options = options;
  }

  /** Whether a claim is true. Stating it may take too much as well. */
  async prove(claimIn: (encoding: Encoding) => Claim): Promise<Answer> {
    const { effort } = this.#options;
    const isShort = effort !== undefined && effort.stepsLeft < usualSteps;
    try {
      const { counterexample, confirm } = claimIn(this.encoding);
      const { bdds, possible } = this.encoding;
      const values = bdds.example(bdds.and(possible, counterexample));
      if (values === undefined) return { kind: 'proven' };
      const replay = new Replay(this.encoding, values);
      if (!replay.isConsistent || !(await confirm(replay))) return { kind: 'unproven', reason: 'not-confirmed' };
      return { kind: 'disproven', example: replay.example() };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      if (isShort && effort.stepsLeft <= 0) return { kind: 'unproven', reason: 'no-effort-left' };
      return { kind: 'unproven', reason: 'too-large', size: sizeOf(this.#conditions) };
    }
  }

  /** Throws `TooLarge`. */
  get encoding(): Encoding {
    const { mostNodes = usualNodes, effort = { stepsLeft: usualSteps }, encode } = this.#options;
    const limits = { mostNodes, effort };
    this.#encoding ??= encode?.(this.#conditions, limits) ?? new Encoding(this.#conditions, limits);
    return this.#encoding;
  }
}

export function sizeOf(conditions: readonly Condition[]): Size {
  const leaves = conditions.flatMap(leavesOf);
  const subjects = new Set(leaves.map((leaf) => subjectOf(leaf)).filter((subject) => subject !== undefined));
  return { conditions: leaves.length, subjects: subjects.size };
}
