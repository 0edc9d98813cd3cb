import { createGate } from '@latchkey/gate';
import { getToken } from 'next-auth/jwt';
import { latchkey, visitorOf } from './latchkey';

export const gate = createGate({
  baseUrl: latchkey.issuer,
  // Visitors are checked by their own tokens.
  apiKey: '',
  rules: [
    {
      type: 'ERC721',
      chainId: Number(process.env.CHAIN_ID ?? 1),
      contractAddress: process.env.CONTRACT,
      minToken: '1',
      roleId: 'member',
    },
  ],
});

export async function visitor(request: Request) {
  const secret = process.env.AUTH_SECRET ?? '';
  const secureCookie = process.env.AUTH_URL?.startsWith('https:') ?? false;
  return visitorOf(await getToken({ req: request, secret, secureCookie }));
}
