import { LOOPBACK } from '../process/host.js';

/** What nginx is configured with. */
interface NginxSettings {
  /** Where it listens, and where it sends requests to, on the loopback address. */
  port: number;
  ports: number[];
  /** For its files. */
  folder: string;
  /** Whose its worker process is; only root may say so. */
  user?: string;
}

/**
 * One worker process that hands out requests in turn and keeps its connections. They end before Node's own (5 s without a
 * request), or a request would now and then be sent into one that is just being closed. Nothing is retried: a failure is
 * to be seen. See https://nginx.org/en/docs/http/ngx_http_upstream_module.html
 */
export function nginxConfig({ port, ports, folder, user }: NginxSettings): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `${user === undefined ? '' : `user ${user};\n`}daemon off;
worker_processes 1;
worker_rlimit_nofile 16384;
pid ${folder}/nginx.pid;
error_log stderr;
events {
  worker_connections 8192;
}
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`).join('\n')}
  upstream processes {
${ports.map((to) => `    server ${LOOPBACK}:${to} max_fails=0;`).join('\n')}
    keepalive 512;
    keepalive_requests 1000000;
    keepalive_timeout 4s;
  }
  server {
    listen ${LOOPBACK}:${port} backlog=4096;
    keepalive_requests 1000000;
    client_max_body_size 16m;
    location / {
      proxy_pass http://processes;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_next_upstream off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}
