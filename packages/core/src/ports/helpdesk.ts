/** A new ticket, with the fields of Freshdesk's API v2. */
export interface NewDeskTicket {
  subject: string;
  /** HTML. */
  description: string;
  email: string;
  status: number;
  priority: number;
  type?: string | undefined;
  parent_id?: number | undefined;
  requester_id?: number | undefined;
  responder_id?: number | undefined;
  group_id?: number | undefined;
  product_id?: number | undefined;
  custom_fields?: Record<string, unknown> | undefined;
  tags?: readonly string[] | undefined;
  cc_emails?: readonly string[] | undefined;
}

/** A ticket as the help desk returns it; only the number is guaranteed. */
export type DeskTicket = Readonly<Record<string, unknown>> & { readonly id: number };

/** Filters for the list of tickets. */
export interface DeskQuery {
  filter?: string | undefined;
  include?: string | undefined;
  companyId?: number | undefined;
  requesterId?: number | undefined;
  email?: string | undefined;
  updatedSince?: string | undefined;
  orderBy?: string | undefined;
  orderType?: string | undefined;
}

/** An external help desk. Every method throws `DeskFailed` if the desk does not respond or refuses the request. */
export interface Helpdesk {
  create(ticket: NewDeskTicket, signal?: AbortSignal): Promise<DeskTicket>;
  /** Every ticket that matches, over all pages, up to the adapter's limit. */
  list(query: DeskQuery, signal?: AbortSignal): Promise<readonly DeskTicket[]>;
}

/** The help desk could not be reached, or refused the request. Contains neither its URL nor its key. */
export class DeskFailed extends Error {
  override readonly name = 'DeskFailed';
  /** `refused`: the help desk rejected the request; a retry would fail too. */
  readonly kind: 'refused' | 'unavailable';
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: DeskFailed['kind'], message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
