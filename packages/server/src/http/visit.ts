import type { Services } from '@latchkey/core';
import type { Actor, Operation } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { ClientLimits, Credentials } from './credentials.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** One request in the pipeline. Each step reads what earlier ones wrote. */
export interface Visit {
  request: FastifyRequest;
  reply: FastifyReply;
  operation: Operation;
  compiled: CompiledOperation;
  actor: Actor;
  client: ClientLimits | undefined;
  /** Whether the cookie of the console says who asks. */
  isConsole: boolean;
  /** False for a look whether a caller who still listens may. */
  isUse: boolean;
  input: Record<string, unknown> & { body?: unknown };
  /** The Idempotency-Key of a repeatable operation, if the caller sent one. */
  idempotencyKey: string | undefined;
  answer: unknown;
  /** What the caller should know about a request that was accepted, such as fields that were ignored. */
  warnings: readonly string[];
  /** Set when the request is refused or fails. */
  errorCode: string | undefined;
}

/** What the contract of an operation turns into on first use. */
export interface CompiledOperation {
  readParams(request: FastifyRequest): Record<string, unknown>;
  readBody(request: FastifyRequest): { value: unknown; warnings: readonly string[] };
  writeAnswer(answer: unknown): string;
}

/** Everything the steps need of the process they run in. */
export interface Server {
  services: Services;
  config: Pick<Config, 'anonymousRate' | 'userRate' | 'ethereumHeader' | 'portalUrl' | 'walletConnect' | 'evmRpcUrls'>;
  limiter: RateLimiter;
  credentials: Credentials;
}

export type Step = (visit: Visit, server: Server) => Promise<void> | void;
