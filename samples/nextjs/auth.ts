import NextAuth from 'next-auth';
import { keepAccess, latchkey } from './latchkey';

export const { handlers, signIn } = NextAuth({ providers: [latchkey], callbacks: { jwt: keepAccess } });
