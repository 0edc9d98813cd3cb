export {
  type HttpTwin,
  startHttpTwin,
  type TwinAddress,
  type TwinFault,
  type TwinReply,
  type TwinRequest,
} from './start.ts';
