import type { Services } from '@latchkey/core';
import type { Actor, Operation } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { ClientLimits, Credentials } from './credentials.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** One request in the pipeline. Each step reads what earlier steps wrote. */
export interface Visit {
  request: FastifyRequest;
  reply: FastifyReply;
  operation: Operation;
  compiled: CompiledOperation;
  actor: Actor;
  client: ClientLimits | undefined;
  /** The operation that reads what this one changes, if its responses have an ETag. */
  reader: Operation | undefined;
  /** Whether another operation changes what this one reads. */
  isVersioned: boolean;
  /** Whether the caller was authenticated by the console's cookie. */
  isConsole: boolean;
  /** False when only checking whether a live stream is still authorized. */
  isUse: boolean;
  input: Record<string, unknown> & { body?: unknown };
  /** The Idempotency-Key of a repeatable operation, if the caller sent one. */
  idempotencyKey: string | undefined;
  answer: unknown;
  /** Warnings about a request that was accepted, such as ignored fields. */
  warnings: readonly string[];
  /** Set when the request is refused or fails. */
  errorCode: string | undefined;
}

/** The compiled contract of an operation. */
export interface CompiledOperation {
  readParams(request: FastifyRequest): Record<string, unknown>;
  readBody(request: FastifyRequest): { value: unknown; warnings: readonly string[] };
  writeAnswer(answer: unknown): string;
}

/** The dependencies of the pipeline's steps. */
export interface Server {
  services: Services;
  config: Pick<Config, 'anonymousRate' | 'userRate' | 'ethereumHeader' | 'portalUrl' | 'walletConnect' | 'evmRpcUrls'>;
  limiter: RateLimiter;
  credentials: Credentials;
}

export type Step = (visit: Visit, server: Server) => Promise<void> | void;
