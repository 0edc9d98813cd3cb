/** A refusal in Discord's format: an HTTP status, an error code and a message. */
export class DiscordError extends Error {
  override readonly name = 'DiscordError';
  readonly status: number;
  readonly code: number;
  readonly errors: unknown;

  constructor(status: number, code: number, message: string, errors?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

const refusals = {
  notFound: [404, 0, '404: Not Found'],
  wrongMethod: [405, 0, '405: Method Not Allowed'],
  unauthorized: [401, 0, '401: Unauthorized'],
  serverError: [500, 0, '500: Internal Server Error'],
  unknownApplication: [404, 10002, 'Unknown Application'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownInvite: [404, 10006, 'Unknown Invite'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownRole: [404, 10011, 'Unknown Role'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  unknownIntegration: [404, 10005, 'Unknown Integration'],
  tooManyInvites: [400, 30016, 'Maximum number of invites reached (1000)'],
  tooManyChannels: [400, 30013, 'Maximum number of guild channels reached (500)'],
  tooManyRoles: [400, 30005, 'Maximum number of guild roles reached (250)'],
  userIsBanned: [403, 40007, 'The user is banned from this guild'],
  unknownBan: [404, 10026, 'Unknown Ban'],
  botsCannot: [403, 20001, 'Bots cannot use this endpoint'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  missingAccess: [403, 50001, 'Missing Access'],
  notInDirectChannel: [400, 50003, 'Cannot execute action on a DM channel'],
  notYourMessage: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  noDirectMessages: [403, 50007, 'Cannot send messages to this user'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  invalidToken: [401, 50014, 'Invalid authentication token provided'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidRole: [400, 50028, 'Invalid Role'],
  invalidVersion: [400, 50041, 'Invalid API version'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
} as const satisfies Record<string, readonly [status: number, code: number, message: string]>;

export function refusal(name: keyof typeof refusals): DiscordError {
  const [status, code, message] = refusals[name];
  return new DiscordError(status, code, message);
}

/** Creates the error of one invalid field by its path: `roles.0` becomes nested objects, as in Discord. */
export function invalidField(path: string, code: string, message: string): DiscordError {
  const errors = path
    .split('.')
    .reduceRight<unknown>((inner, segment) => ({ [segment]: inner }), { _errors: [{ code, message }] });
  return new DiscordError(400, 50035, 'Invalid Form Body', errors);
}

export function errorBody({ message, code, errors }: DiscordError): unknown {
  return errors === undefined ? { message, code } : { message, code, errors };
}
