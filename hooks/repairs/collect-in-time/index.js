'use strict';
/* collect-in-time: collects garbage before the container is full (../../lib/container.js). */
const { watchContainer } = require('../../lib/container.js');

module.exports = {
  name: 'collect-in-time',
  isOn: (env) => env.N8N_TUNED_COLLECT_IN_TIME === 'true',
  bind: () => void watchContainer(),
  otherwise: 'The container may be OOM-killed while its memory is full of garbage.',
};
