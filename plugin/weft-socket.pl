# Finds the project's resident weft: src/agent/resident/ has the other end. Loads no module: each takes longer than all of this.

# The device and inode of a folder's project: the nearest folder above with .git, or else this one.
sub socket_name {
	my ($folder) = @_;
	my ($at, @last) = ($folder);
	while (1) {
		my @stat = stat $at or return undef;
		return "$stat[0]-$stat[1].sock" if -e "$at/.git";
		last if @last && $last[0] == $stat[0] && $last[1] == $stat[1];
		@last = @stat;
		$at = $at eq "." ? ".." : "$at/..";
	}
	my @stat = stat $folder or return undef;
	return "$stat[0]-$stat[1].sock";
}

# By the arguments of a command.
sub data_home {
	for my $at (0 .. $#_ - 1) {
		return $_[ $at + 1 ] if $_[$at] eq "--home";
	}
	return $ENV{WEFT_HOME} if $ENV{WEFT_HOME};
	return "$ENV{XDG_DATA_HOME}/weft" if ($ENV{XDG_DATA_HOME} || "") =~ m{^/};
	return $ENV{HOME} ? "$ENV{HOME}/.local/share/weft" : undef;
}

# Undefined: there is no resident, or it hangs.
sub connect_resident {
	my ($name, $home) = @_;
	return undef unless $^O eq "linux" || $^O eq "darwin";
	return undef unless defined $name && defined $home;
	opendir(my $here, ".") or return undef;
	return undef unless chdir "$home/resident";
	my $hung = hung_mark($name, $home);
	my $stream = -e $hung ? undef : connect_to($name);
	chdir $here or exit 0;
	return $stream;
}

# Exists after the resident was silent for too long, until it works again, and removes it.
sub hung_mark {
	my ($name, $home) = @_;
	return "$home/resident/" . ($name =~ s/sock$/hung/r);
}

sub mark_hung { open(my $mark, ">", hung_mark(@_)) }

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

# A process, as src/agent/resident/hook-request.ts reads it.
sub request_of {
	my ($input, @words) = @_;
	return join("\0", @words, "", (map { "$_=$ENV{$_}" } keys %ENV), "", "") . $input;
}

1;
