import assert from 'node:assert/strict';
import { drawFrom, type Mutation, mutateJson } from './mutate-json.ts';
import { seedNumber } from './seed.ts';

export interface FuzzedService<Decision> {
  /** Names the case, and is its seed. */
  name: string;
  rounds: number;
  /** From now on answers pass through this before they are sent; undefined lets them through unchanged. */
  intercept(change: ((body: unknown) => unknown) | undefined): void;
  /** What the adapter makes of the answers. It must not throw what its port does not promise. */
  read(): Promise<Decision>;
  /** Whether what came of a spoiled answer is as right as what came of the true one: the same, or unknown. */
  isRight(got: Decision, truth: Decision): boolean;
  /** Fields that the service may leave out, or whose absence means something. */
  optional?: readonly string[];
}

/** Replays the answers of a service with one of them spoiled, again and again, and looks at each decision. */
export async function fuzzAnswers<Decision>(service: FuzzedService<Decision>): Promise<void> {
  const { name, rounds, intercept, read, isRight, optional } = service;
  let answers = 0;
  intercept((body) => {
    answers += 1;
    return body;
  });
  const truth = await read();
  intercept(undefined);
  assert.ok(answers > 0, `${name}: the service was asked`);
  const draw = drawFrom(seedNumber(`fuzz ${name}`));
  for (let round = 0; round < rounds; round += 1) {
    const spoiled = draw(answers);
    let place = 0;
    let mutation: Mutation | undefined;
    intercept((body) => {
      if (place++ === spoiled) mutation = mutateJson(body, draw, optional);
      return mutation !== undefined && place === spoiled + 1 ? mutation.body : body;
    });
    const about = () => `${name}, round ${round}: ${mutation?.kind} at ${mutation?.path} of answer ${spoiled}`;
    const got = await read().catch((error: unknown) => {
      throw new Error(`${about()}: the adapter threw ${String(error)}`, { cause: error });
    });
    intercept(undefined);
    if (!isRight(got, truth))
      assert.fail(`${about()}: ${JSON.stringify(got)} instead of ${JSON.stringify(truth)}`.slice(0, 2_000));
  }
}
