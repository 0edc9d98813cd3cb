import { defineModule } from '../../shared/module.ts';
import { pictureJobs, pictureSchedules } from './jobs.ts';

export { rereadPicture } from './jobs.ts';
export { findPicture, pictureAddresses, picturesPath, withPicture } from './queries.ts';

export const picturesModule = defineModule('pictures', {
  jobs: pictureJobs,
  schedules: pictureSchedules,
  tables: ['community_pictures'],
});
