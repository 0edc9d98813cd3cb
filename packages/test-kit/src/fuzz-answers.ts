import assert from 'node:assert/strict';
import { drawFrom, type Mutation, mutateJson } from './mutate-json.ts';
import { seedNumber } from './seed.ts';

export interface FuzzedService<Decision> {
  /** Names the case, and seeds it. */
  name: string;
  rounds: number;
  /** From now on responses pass through this before they are sent; undefined leaves them unchanged. */
  intercept(change: ((body: unknown) => unknown) | undefined): void;
  /** Returns what the adapter makes of the responses. It must throw only what its interface allows. */
  read(): Promise<Decision>;
  /** Whether the result of a corrupted response is as correct as that of the original: the same, or unknown. */
  isRight(got: Decision, truth: Decision): boolean;
  /** Fields that the service may omit, or whose absence has a meaning. */
  optional?: readonly string[];
}

/** Repeatedly replays the responses of a service with one of them corrupted, and checks each decision. */
export async function fuzzAnswers<Decision>(service: FuzzedService<Decision>): Promise<void> {
  const { name, rounds, intercept, read, isRight, optional } = service;
  let answers = 0;
  intercept((body) => {
    answers += 1;
    return body;
  });
  const truth = await read();
  intercept(undefined);
  assert.ok(answers > 0, `${name}: the service received a request`);
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
