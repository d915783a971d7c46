import { join } from 'node:path';
import { z } from 'zod';
import { repositoryFolder } from '../../core/paths.js';
import { settingSchema, type Setting } from './record.js';
import { readYamlFile } from '../../core/yaml.js';

/** The catalogue of settings. */
export const SETTINGS_FILE = join(repositoryFolder, 'capacity', 'tune', 'settings.yaml');

/** The settings of the catalogue, the most promising first. */
export const readSettings = (file = SETTINGS_FILE): Setting[] =>
  z.strictObject({ settings: z.array(settingSchema) }).parse(readYamlFile(file, file, 'restore it')).settings;
