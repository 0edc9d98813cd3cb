import { choice, record, T, text, type ValueOf } from '@latchkey/kernel';

export const callCredentials = ['api-key', 'old-api-key', 'token'] as const;
export type CallCredential = (typeof callCredentials)[number];

/** One call of an application, as the server saw it. */
export interface AppCall {
  clientId: string;
  calledAt: Date;
  method: string;
  /** The pattern of the path, since actual paths can contain slugs and states. */
  route: string;
  status: number;
  errorCode: string | undefined;
  tookMs: number;
  requestId: string;
  credential: CallCredential;
}

export const ClientAppCall = record('ClientAppCall', 'One call that an application made.', {
  calledAt: text('When it was received, as an ISO 8601 time.', { maxLength: 32 }),
  method: text('The HTTP method.', { maxLength: 16 }),
  route: text('The path of the operation, with its parameters in braces.', { maxLength: 500 }),
  status: T.Integer({ description: 'The HTTP status of the response.', format: 'int32', minimum: 100, maximum: 599 }),
  errorCode: T.Optional(text('The error code of the response, if it was refused or failed.', { maxLength: 64 })),
  tookMs: T.Integer({
    description: 'How long the response took, in milliseconds.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  requestId: text('The x-request-id of the response, to find the call in the server log.', {
    maxLength: 64,
  }),
  credential: choice('The credential used; a token belongs to a user.', callCredentials),
});
export type ClientAppCall = ValueOf<typeof ClientAppCall>;

/** How long lines and daily statistics are kept. */
export const keepLinesDays = 3;
export const keepDaysDays = 90;
/** How many lines of one application each process keeps per minute; the rest are only counted. */
export const linesPerMinute = 60;
/** A key that was not used for this long is shown as idle. */
export const idleAfterDays = 30;
