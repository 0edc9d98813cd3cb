const byClient = [
  "import { verifyWebhook } from '@latchkey/client';",
  '',
  '// Throws a WebhookSignatureError if the message is not from your server.',
  'export async function verify(secret, headers, body) {',
  '  return verifyWebhook({ headers, body }, secret);',
  '}',
].join('\n');

/** Verifies a webhook's signature in each language, given the secret, the headers and the exact body. */
export const verifiers = {
  client: {
    title: 'TypeScript, @latchkey/client',
    code: byClient,
  },
  node: {
    title: 'JavaScript, Node.js',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

export function verify(secret, headers, body) {
  const id = headers['webhook-id'];
  const time = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) throw new Error('The message is too old.');
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${time}.\${body}\`).digest();
  const isSigned = headers['webhook-signature'].split(' ').some((part) => {
    const given = Buffer.from(part.replace('v1,', ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) throw new Error('The signature does not match.');
  return JSON.parse(body);
}`,
  },
  python: {
    title: 'Python',
    code: `import base64, hashlib, hmac, json, time

def verify(secret, headers, body):
    message_id = headers["webhook-id"]
    sent_at = headers["webhook-timestamp"]
    if abs(time.time() - int(sent_at)) > 300:
        raise ValueError("The message is too old.")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{sent_at}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    if not any(hmac.compare_digest(part.encode(), expected.encode()) for part in headers["webhook-signature"].split(" ")):
        raise ValueError("The signature does not match.")
    return json.loads(body)`,
  },
  go: {
    title: 'Go',
    code: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// In a handler: verify(secret, request.Header.Get, body)
func verify(secret string, header func(string) string, body []byte) error {
	id, sentAt := header("webhook-id"), header("webhook-timestamp")
	seconds, err := strconv.ParseInt(sentAt, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return errors.New("the message is too old")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + sentAt + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, part := range strings.Fields(header("webhook-signature")) {
		if hmac.Equal([]byte(part), []byte(expected)) {
			return nil
		}
	}
	return errors.New("the signature does not match")
}`,
  },
} as const;

export type VerifierName = keyof typeof verifiers;
