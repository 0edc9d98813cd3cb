import assert from 'node:assert/strict';
import type { ChainCursor, ChainFollower, HoldingChange } from '@latchkey/core/ports';

/** Records what core records of a chain: the blocks passed and their changes, rolled back where the chain was reorganized. */
export class Diary {
  passed: ChainCursor[] = [];
  changes: HoldingChange[] = [];
  undone = 0;
  readonly #follower: ChainFollower;
  readonly #chain: string;
  readonly #options: { contracts: readonly string[]; depth: number };

  constructor(follower: ChainFollower, chain: string, options: { contracts: readonly string[]; depth: number }) {
    this.#follower = follower;
    this.#chain = chain;
    this.#options = options;
  }

  async start(): Promise<this> {
    const cursor = await this.#follower.start(this.#chain, this.#options.depth);
    assert.ok(cursor);
    this.passed = [cursor];
    return this;
  }

  async step(): Promise<string> {
    const step = await this.#follower.next(this.#chain, { ...this.#options, passed: this.passed });
    if (step.kind === 'advanced') {
      this.passed = [...step.blocks.toReversed(), ...this.passed].slice(0, 128);
      this.changes.push(...step.changes);
    }
    if (step.kind === 'reorganised') {
      const height = BigInt(step.ancestor.number);
      this.passed = this.passed.filter(({ number }) => BigInt(number) <= height);
      this.changes = this.changes.filter(({ block }) => BigInt(block.number) <= height);
      this.undone += 1;
    }
    return step.kind;
  }

  /** Steps until there is nothing new. */
  async catchUp(): Promise<void> {
    for (let steps = 0; steps < 100; steps += 1) {
      const kind = await this.step();
      assert.notEqual(kind, 'unknown');
      if (kind === 'waiting') return;
    }
    assert.fail('The end of the chain was not reached.');
  }

  affected(): Set<string> {
    return new Set(this.changes.map(({ contract, account }) => `${contract} ${account}`));
  }
}
