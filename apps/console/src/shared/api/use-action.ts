import { ApiError } from '@latchkey/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { call } from './client.ts';
import type { Answer, Input, ReadRoute, Route } from './routes.ts';

interface Wishes<R extends Route> {
  /** The reads that are asked again afterwards. */
  changes?: readonly ReadRoute[];
  onDone?: (answer: Answer<R>, input: Input<R>) => void;
}

/** Something that can be done, its state, and its failure. Nothing is retried by itself but what needs a fresh sign-in. */
export interface Action<R extends Route> {
  /** Does it. A failure is in `error`, and nothing is thrown. */
  run(input: Input<R>): void;
  /** Does it, for steps that follow each other. Throws what `error` holds. */
  runAsync(input: Input<R>): Promise<Answer<R>>;
  isRunning: boolean;
  error: unknown;
  answer: Answer<R> | undefined;
  /** Forgets the failure and the answer. */
  reset(): void;
}

/**
 * An operation that changes something. If the server wants the person to have signed in just now, they are asked to, and
 * then it is done again by itself.
 */
export function useAction<R extends Route>(route: R, { changes = [], onDone }: Wishes<R> = {}): Action<R> {
  const queries = useQueryClient();
  const confirmPresence = usePresence();
  const { mutate, mutateAsync, isPending, error, data, reset } = useMutation<Answer<R>, unknown, Input<R>>({
    mutationFn: async (input) => {
      try {
        return await send(route, input);
      } catch (problem) {
        if (!(problem instanceof ApiError) || problem.code !== 'PRESENCE_REQUIRED') throw problem;
        if (!(await confirmPresence())) throw problem;
        return send(route, input);
      }
    },
    onSuccess: async (answer, input) => {
      await Promise.all(changes.map((read) => queries.invalidateQueries({ queryKey: [read] })));
      onDone?.(answer, input);
    },
  });
  return {
    run: (input) => mutate(input),
    runAsync: (input) => mutateAsync(input),
    isRunning: isPending,
    error,
    answer: data,
    reset,
  };
}

function send<R extends Route>(route: R, input: Input<R>): Promise<Answer<R>> {
  // The client's signature decides by the route whether it takes an input, which cannot be said of all routes at once.
  return (call as unknown as (route: R, input: Input<R>) => Promise<Answer<R>>)(route, input);
}

/** Asks the person to sign in again, and answers whether they did. */
type ConfirmPresence = () => Promise<boolean>;

export const PresenceContext = createContext<ConfirmPresence>(() => Promise.resolve(false));

export function usePresence(): ConfirmPresence {
  return useContext(PresenceContext);
}
