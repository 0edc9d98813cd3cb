import type { TlObject } from './tl.ts';

/** Every message was received; that is all the state there is. */
const received = 4;

/** Answers messages about the connection itself. Acknowledgements and the like need no answer. */
export function answerService(
  message: TlObject,
  { id, salt, nowSeconds }: { id: bigint; salt: bigint; nowSeconds: number },
): TlObject | undefined {
  switch (message._) {
    case 'mt_ping':
    case 'mt_ping_delay_disconnect':
      return { _: 'mt_pong', msg_id: id, ping_id: message.ping_id };
    case 'mt_get_future_salts': {
      const one = { _: 'mt_future_salt', valid_since: nowSeconds - 60, valid_until: nowSeconds + 86_400, salt };
      return { _: 'mt_future_salts', req_msg_id: id, now: nowSeconds, salts: [one] };
    }
    case 'mt_msgs_state_req': {
      const asked = Array.isArray(message.msg_ids) ? message.msg_ids.length : 0;
      return { _: 'mt_msgs_state_info', req_msg_id: id, info: Buffer.alloc(asked, received) };
    }
    case 'mt_destroy_session':
      return { _: 'mt_destroy_session_none', session_id: message.session_id };
    default:
      return undefined;
  }
}
