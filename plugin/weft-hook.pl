# Passes a hook to the project's resident weft: weft-hook.pl NODE PROGRAM [--home FOLDER] hook AGENT. If the resident does not
# answer, becomes that command, which answers by itself and starts a resident. Loads no module: each takes longer than all of
# this. src/agent/resident/ has the other end of it.
my @command = @ARGV;
my $max_silent_seconds = 2;

binmode STDIN;
binmode STDOUT;
my $input = do { local $/; <STDIN> };
$input = "" unless defined $input;

my $answer = ask();
if (defined $answer) {
	print $answer;
	exit 0;
}
run_command();

# The answer for standard output; undef: there is none.
sub ask {
	return undef unless $^O eq "linux" || $^O eq "darwin";
	my $name = socket_name();
	my $folder = data_home();
	return undef unless defined $name && defined $folder;
	opendir(my $here, ".") or return undef;
	return undef unless chdir "$folder/resident";
	my $hung = $name =~ s/sock$/hung/r;
	my $stream = -e $hung ? undef : connect_to($name);
	chdir $here or exit 0;
	return undef unless $stream;
	my $reply = eval {
		local $SIG{ALRM} = sub { die };
		local $SIG{PIPE} = "IGNORE";
		alarm $max_silent_seconds;
		my $got = exchange($stream);
		alarm 0;
		$got;
	};
	alarm 0;
	if (!defined $reply) {
		# It is silent: hooks pass it by until it works again, and removes this file.
		open(my $mark, ">", "$folder/resident/$hung") if $@;
		return undef;
	}
	# It says first, more than once, that it works on the answer.
	$reply =~ s{\A(?:HTTP/1\.1 102 [^\r]*\r\n\r\n)+}{};
	my ($head, $body) = split /\r\n\r\n/, $reply, 2;
	return undef unless defined $body && $head =~ m{^HTTP/1\.1 200 } && $head =~ /\r\ncontent-length: *(\d+)/i;
	# A resident that died gives no whole answer.
	return length($body) == $1 ? $body : undef;
}

# The device and inode of the project's folder: the nearest one above with .git, or else this one.
sub socket_name {
	my ($at, @last) = (".");
	while (1) {
		my @stat = stat $at or return undef;
		return "$stat[0]-$stat[1].sock" if -e "$at/.git";
		last if @last && $last[0] == $stat[0] && $last[1] == $stat[1];
		@last = @stat;
		$at = $at eq "." ? ".." : "$at/..";
	}
	my @stat = stat "." or return undef;
	return "$stat[0]-$stat[1].sock";
}

sub data_home {
	for my $at (0 .. $#command - 1) {
		return $command[ $at + 1 ] if $command[$at] eq "--home";
	}
	return $ENV{WEFT_HOME} if $ENV{WEFT_HOME};
	return "$ENV{XDG_DATA_HOME}/weft" if ($ENV{XDG_DATA_HOME} || "") =~ m{^/};
	return $ENV{HOME} ? "$ENV{HOME}/.local/share/weft" : undef;
}

# In the resident's folder. Only its owner can enter it, so the socket is the owner's.
sub connect_to {
	my ($name) = @_;
	my @folder = stat "." or return undef;
	return undef if $folder[4] != $> || $folder[2] & 077;
	my @socket = lstat $name or return undef;
	return undef if !-S _ || $socket[4] != $>;
	# AF_UNIX and SOCK_STREAM are 1 on both systems; the address begins with the family, on one of them after a length.
	socket(my $stream, 1, 1, 0) or return undef;
	my $address = $^O eq "linux" ? pack("Sa*x", 1, $name) : pack("CCa*x", length($name) + 3, 1, $name);
	connect($stream, $address) or return undef;
	if ($^O eq "linux") {
		# SO_PEERCRED: process, user and group of the other end.
		my (undef, $user) = unpack "iii", getsockopt($stream, 1, 17) || pack("iii", 0, -1, -1);
		return undef if $user != $>;
	}
	return $stream;
}

sub exchange {
	my ($stream) = @_;
	my @words = (@command[ 1 .. $#command ], "", (map { "$_=$ENV{$_}" } keys %ENV), "");
	my $body = join("\0", @words, "") . $input;
	my $bytes = length $body;
	my $request = "POST /hook HTTP/1.1\r\nHost: weft\r\nContent-Length: $bytes\r\nConnection: close\r\n\r\n$body";
	for (my $sent = 0 ; $sent < length $request ;) {
		my $wrote = syswrite($stream, $request, 1 << 18, $sent);
		return undef unless defined $wrote;
		$sent += $wrote;
	}
	my $reply = "";
	while (my $got = sysread($stream, $reply, 1 << 18, length $reply)) {
		alarm $max_silent_seconds;
	}
	return $reply;
}

# With the message on its standard input again.
sub run_command {
	open(my $file, "+>", undef) or exit 0;
	binmode $file;
	print $file $input;
	$| = 1;
	seek($file, 0, 0) or exit 0;
	open(STDIN, "<&", $file) or exit 0;
	exec { $command[0] } @command;
	exit 0;
}
