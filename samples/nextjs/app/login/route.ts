import { signIn } from '../../auth';

export const GET = () => signIn('latchkey', { redirectTo: '/members' });
