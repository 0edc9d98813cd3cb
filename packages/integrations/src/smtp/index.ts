export { createSmtpMailer, type SmtpMailerOptions } from './create-smtp-mailer.ts';
