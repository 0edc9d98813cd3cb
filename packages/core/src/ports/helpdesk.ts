/** A new ticket in the words of the help desk: those of Freshdesk's second API. */
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

/** A ticket as the desk shows it; only the number is sure to be there. */
export type DeskTicket = Readonly<Record<string, unknown>> & { readonly id: number };

/** What may be asked of the list of tickets. */
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

/** An outside help desk. Every method throws `DeskFailed` when the desk does not answer or does not agree. */
export interface Helpdesk {
  create(ticket: NewDeskTicket, signal?: AbortSignal): Promise<DeskTicket>;
  /** Every ticket that fits, over all pages, up to a limit that the adapter knows. */
  list(query: DeskQuery, signal?: AbortSignal): Promise<readonly DeskTicket[]>;
}

/** The desk was not asked, or said no. Neither its address nor its key is in here. */
export class DeskFailed extends Error {
  override readonly name = 'DeskFailed';
  /** `refused`: the desk read the request and does not want it; another try would fail as well. */
  readonly kind: 'refused' | 'unavailable';
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: DeskFailed['kind'], message: string, retryAfterSeconds?: number) {
    super(message);
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
