import { feature } from '../../shared/feature.ts';
import { pictureJobs, pictureSchedules } from './jobs.ts';

export { findPicture, pictureAddresses, picturesPath, withPicture } from './find.ts';
export { rereadPicture } from './jobs.ts';

export const picturesFeature = feature('pictures', {
  jobs: pictureJobs,
  schedules: pictureSchedules,
  tables: ['community_pictures'],
});
